import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Names the form of what is stored, so that another one can come after it. */
const FORM = "v1";

/**
 * Keeps generated passwords readable for Super Admins until their users set own ones: encrypted and authenticated with
 * a key that is never in the database, and bound to the user, so that one user's value is nothing for another.
 */
export class StoredPasswords {
  readonly #key: Buffer;

  /** The key is derived from the server's secret for this purpose alone. */
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

  /** The password; null where the value is of another key, of another user, or was changed. */
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
