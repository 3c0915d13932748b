export { mailNotSetUp, storedMailer, storedMailServer } from "./mail-server.service.ts";
