import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";
import { type PasswordOwner, weakPassword } from "@suncrew/domain/auth/weak-passwords.ts";
import { dictionary } from "@zxcvbn-ts/language-common";

/** Those of the list that are long enough to be chosen at all, some 18,000. */
const common = new Set(dictionary["passwords-common"].filter((each) => each.length >= PASSWORD_MIN_LENGTH));

/** Why this person must not have this password, as a field says it; null where it may. */
export function weakPasswordOf(password: string, owner: PasswordOwner): string | null {
  return weakPassword(password, owner, (small) => common.has(small));
}
