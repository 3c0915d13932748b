import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What an address is good for: one offer, to one device, of one file, until then. */
export interface Grant {
  readonly offerId: string;
  readonly serial: string;
  readonly firmwareId: number;
  /** Unix seconds. */
  readonly expires: number;
}

/** Signs the addresses of firmware files, so that only who was offered one downloads it, and only for a while. */
export class DownloadUrlSigner {
  readonly #key: Buffer;

  /** The key is derived from the server's secret for this purpose alone. */
  constructor(secretKey: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secretKey, "", "suncrew firmware addresses v1", 32));
  }

  /** In hex. */
  sign({ offerId, serial, firmwareId, expires }: Grant): string {
    const signed = JSON.stringify([offerId.toLowerCase(), serial, firmwareId, expires]);
    return createHmac("sha256", this.#key).update(signed, "utf8").digest("hex");
  }

  isSigned(grant: Grant, signature: string): boolean {
    const [expected, given] = [Buffer.from(this.sign(grant)), Buffer.from(signature)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  /** The address at a server that robots reach as `publicUrl`. */
  urlOf(publicUrl: string, grant: Grant): string {
    const base = publicUrl.replace(/\/+$/, "");
    return `${base}/api/firmware/file/${grant.offerId}?expires=${grant.expires}&signature=${this.sign(grant)}`;
  }
}
