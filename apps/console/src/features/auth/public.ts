export { roleWord } from "./role-words.ts";
export { signOut } from "./sign-out.ts";
