import { hash, verify } from "@node-rs/argon2";
import { PASSWORD_MIN_LENGTH } from "@suncrew/contract/auth/auth.ts";
import { type PasswordOwner, weakPassword } from "@suncrew/domain/auth/passwords.ts";
import { dictionary } from "@zxcvbn-ts/language-common";
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomInt } from "node:crypto";

/** argon2id, 19 MiB and two passes: the library's own choice of algorithm, with explicit costs so that they stay. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export async function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

export async function passwordMatches(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}

let ofNobody: Promise<string> | null = null;

/** A hash that no password has, to do the same work for a nonexistent user; computed once per process. */
export function hashOfNobody(): Promise<string> {
  ofNobody ??= hashPassword(randomBytes(32).toString("base64"));
  return ofNobody;
}

/** Lower-case letters and digits without look-alikes (0 o, 1 i l), so that they can be read out and typed. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A password for somebody else, such as `k7wp-9mtx-2rhd-b8vq`: 16 random characters, some 79 bits. */
export function generatePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Version of the stored form, so that another can follow. */
const FORM = "v1";

/**
 * Keeps generated passwords readable for Super Admins until their users set their own: encrypted and authenticated with
 * a key that is never in the database, and bound to the user, so that a value is useless for any other user.
 */
export class StoredPasswords {
  readonly #key: Buffer;

  /** The key is derived from the server's secret for this purpose only. */
  constructor(secretKey: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secretKey, "", "suncrew generated passwords v1", 32));
  }

  /** What `users.enc_password` holds for the user. */
  seal(userId: number, password: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(userId));
    const text = Buffer.concat([cipher.update(password, "utf8"), cipher.final()]);
    return `${FORM}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url")}`;
  }

  /** The password; null if the value has another key, belongs to another user, or was modified. */
  open(userId: number, sealed: string): string | null {
    const [form, body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    if (form !== FORM || bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(userId));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}

function boundTo(userId: number): Buffer {
  return Buffer.from(`user ${userId}`);
}

/** Those of the list that are long enough to be allowed at all, some 18,000. */
const common = new Set(dictionary["passwords-common"].filter((each) => each.length >= PASSWORD_MIN_LENGTH));

/** Why this person must not have this password, as a field error; null if it is allowed. */
export function weakPasswordOf(password: string, owner: PasswordOwner): string | null {
  return weakPassword(password, owner, (small) => common.has(small));
}

/** The published sign-ins of a demo; production never has them. */
export const demoSignIns = [
  { username: "admin", password: "admin@123", role: "SUPER_ADMIN" },
  { username: "partner", password: "partner@123", role: "PARTNER" },
] as const;
