export { guardLook } from "./guard-looks.ts";
export { GuardControl, GuardMark, GuardNotice, SkippedByWeather } from "./guard-parts.tsx";
