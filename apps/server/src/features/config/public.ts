export { type DemoSignIn, StandingSignIns } from "./standing-sign-ins.ts";
export { demoSignIns } from "./demo-sign-ins.ts";
