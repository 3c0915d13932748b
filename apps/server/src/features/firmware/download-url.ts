import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What a URL permits: one device to download one file by one offer, until it expires. */
export interface Grant {
  readonly offerId: string;
  readonly serial: string;
  readonly firmwareId: number;
  /** Unix seconds. */
  readonly expires: number;
}

/** Signs the URLs of firmware files, so that only the robot that was offered one can download it, for a limited time. */
export class DownloadUrlSigner {
  readonly #key: Buffer;

  /** The key is derived from the server's secret for this purpose only. */
  constructor(secretKey: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secretKey, "", "suncrew firmware addresses v1", 32));
  }

  /** In hex. */
  sign({ offerId, serial, firmwareId, expires }: Grant): string {
    const signed = JSON.stringify([offerId.toLowerCase(), serial, firmwareId, expires]);
    return createHmac("sha256", this.#key).update(signed, "utf8").digest("hex");
  }

  isSigned(grant: Grant, signature: string): boolean {
    const [expected, actual] = [Buffer.from(this.sign(grant)), Buffer.from(signature)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }

  /** The URL at a server that robots reach as `publicUrl`. */
  urlOf(publicUrl: string, grant: Grant): string {
    const base = publicUrl.replace(/\/+$/, "");
    return `${base}/api/firmware/file/${grant.offerId}?expires=${grant.expires}&signature=${this.sign(grant)}`;
  }
}
