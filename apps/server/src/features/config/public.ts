export { type DemoSignIn, StandingSignIns } from "./standing-sign-ins.ts";
