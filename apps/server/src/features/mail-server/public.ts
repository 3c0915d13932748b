export { mailNotSetUp, storedMailer } from "./mail-server.service.ts";
