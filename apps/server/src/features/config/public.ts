export { demoSignIns } from "./demo-sign-ins.ts";
