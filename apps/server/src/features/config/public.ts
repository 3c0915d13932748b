export { type DemoSignIn, WorkingDemoSignIns } from "./config.service.ts";
