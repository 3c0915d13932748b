/** For the demo's history, which is written by the code that locks and releases robots. */
export { acceptLocks, acceptReleases } from "./accept-locks.ts";
