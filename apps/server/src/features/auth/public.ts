export { hashPassword } from "./passwords.ts";
