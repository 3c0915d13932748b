import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Version of the stored form, so that another can follow. */
const FORM = "v1";

/**
 * Keeps secrets readable for Suncrew in rows: encrypted and authenticated with a key that is never in the database, and
 * bound to what they belong to, so that a value is useless in any other row.
 */
export class SealedSecrets {
  readonly #key: Buffer;

  /** The key is derived from the server's secret for this purpose only, which is never reworded: rows depend on it. */
  constructor(secretKey: string, purpose: "generated passwords" | "contact points" | "webhooks" | "mail server") {
    this.#key = Buffer.from(hkdfSync("sha256", secretKey, "", `suncrew ${purpose} v1`, 32));
  }

  /** What the row holds; `boundTo` names what the secret belongs to, such as `user 7`. */
  seal(boundTo: string, text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(boundTo));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return `${FORM}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
  }

  /** The secret; null if the value has another key, belongs to something else, or was modified. */
  open(boundTo: string, sealed: string): string | null {
    const [form, body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    if (form !== FORM || bytes.length < IV_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}
