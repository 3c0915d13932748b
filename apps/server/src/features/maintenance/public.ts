/** For the demo's history, which is written by what really locks and releases robots. */
export { acceptLock, acceptRelease } from "./accept-locks.ts";
