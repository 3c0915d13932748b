/** For the demo's history, which is written by what really locks and releases robots. */
export { acceptLock } from "./accept-lock.ts";
export { acceptRelease } from "./accept-release.ts";
