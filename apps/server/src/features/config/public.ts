export { type DemoSignIn, StandingSignIns } from "./config.service.ts";
