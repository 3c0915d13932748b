export {
  type AdminWork,
  endAllSessions,
  findUser,
  giveAdminPassword,
  insertAdmin,
  type NamedUser,
  openSessionsOf,
} from "./admins.repository.ts";
export { demoSignIns } from "./demo-sign-ins.ts";
export { generatePassword } from "./generated-password.ts";
export { forgetTriesOf } from "./password-tries.ts";
export { networkOfCaller } from "./network-of.ts";
export { hashPassword, passwordMatches } from "./passwords.ts";
export { StoredPasswords } from "./stored-password.ts";
export { readAccount } from "./users.repository.ts";
export { weakPasswordOf } from "./weak-password.ts";
