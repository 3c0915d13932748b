export { demoSignIns } from "./demo-sign-ins.ts";
export { forgetCallersOf } from "./known-callers.writes.ts";
export { generatePassword } from "./generated-password.ts";
export { forgetTriesOf } from "./password-tries.ts";
export { networkOfCaller } from "./network-of.ts";
export { hashPassword, passwordMatches } from "./passwords.ts";
export { StoredPasswords } from "./stored-password.ts";
export { readAccount } from "./users.writes.ts";
export { weakPasswordOf } from "./weak-password.ts";
