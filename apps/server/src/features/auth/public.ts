export {
  type AdminWork,
  endAllSessions,
  findUser,
  giveAdminPassword,
  insertAdmin,
  type NamedUser,
  openSessionsOf,
  readAccount,
} from "./users.repository.ts";
export {
  demoSignIns,
  generatePassword,
  hashPassword,
  passwordMatches,
  StoredPasswords,
  weakPasswordOf,
} from "./passwords.ts";
export { forgetTriesOf } from "./password-attempts.ts";
export { networkOfCaller } from "./sign-in-limits.ts";
