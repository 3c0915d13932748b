export { demoSignIns, generatePassword, hashPassword, passwordMatches, weakPasswordOf } from "./passwords.ts";
export { forgetAttemptsOf } from "./sign-in-attempts.repository.ts";
export { clientNetwork } from "./sign-in-limits.ts";
export {
  type AdminChange,
  endAllSessions,
  findUser,
  insertAdmin,
  type NamedUser,
  openSessionsOf,
  readAccount,
  setAdminPassword,
} from "./users.repository.ts";
