/** For the demo's history, which is written by the code that locks and releases robots. */
export { acceptLock, acceptRelease } from "./accept-locks.ts";
