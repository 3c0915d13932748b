export { GuardControl, GuardMark, GuardNotice, SkippedByWeather } from "./guard-parts.tsx";
