import type { Firmware, firmwareFile, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import type { ParamsOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { webcrypto } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Db } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, forbidden, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import {
  findVersion,
  insertFirmware,
  isNeeded,
  lockFirmware,
  readFirmware,
  readPart,
  storeDeleted,
} from "./firmware-files.repository.ts";
import { firmwareSentences } from "./firmware-sentences.ts";
import { type KnownOffer, readOffers } from "./offers.repository.ts";
import { DownloadUrlSigner } from "./download-url.ts";

export const PART_BYTES = 262_144;
/** 16 MiB: what all robots of a batch download, they download at the same time. */
const PARTS_KEPT = 64;

/**
 * Hands out firmware part by part, so that no file is held whole for each robot that downloads it. What was read last is
 * kept, and what several ask for at once is read once.
 */
class FirmwareParts {
  readonly #db: Db;
  readonly #kept = new Map<string, Promise<Buffer>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The whole file. Throws where it is deleted on the way. */
  async *of(firmwareId: number, bytes: number): AsyncGenerator<Buffer> {
    for (let from = 0; from < bytes; from += PART_BYTES) {
      yield await this.#part(firmwareId, from, Math.min(PART_BYTES, bytes - from));
      // Parts that are kept come at once: others must not wait until a whole crowd has its file.
      await setImmediate();
    }
  }

  #part(firmwareId: number, from: number, length: number): Promise<Buffer> {
    const key = `${firmwareId}:${from}`;
    const known = this.#kept.get(key);
    const part = known ?? this.#read(key, firmwareId, from, length);
    // Put at the end: the first ones are those that nobody asked for longest.
    this.#kept.delete(key);
    this.#kept.set(key, part);
    if (this.#kept.size > PARTS_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return part;
  }

  async #read(key: string, firmwareId: number, from: number, length: number): Promise<Buffer> {
    try {
      const part = await readPart(this.#db, firmwareId, from, length);
      if (part?.length !== length) throw new Error(`Firmware ${firmwareId} has no part at ${from} any more.`);
      return part;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }
}

type Uploaded = ResponseOf<typeof uploadFirmware>;

/** Firmware files: uploaded and deleted by Super Admins, downloaded by the robots that were offered one. */
export class FirmwareFiles {
  readonly #deps: Dependencies;
  readonly #signer: DownloadUrlSigner;
  readonly #content: FirmwareParts;
  /** A batch begins to download at the same moment. */
  readonly #offers: BatchLoader<string, KnownOffer>;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#signer = new DownloadUrlSigner(deps.settings.secretKey);
    this.#content = new FirmwareParts(deps.db);
    this.#offers = new BatchLoader(async (ids) => {
      const offers = await readOffers(deps.db, ids);
      return new Map(offers.map((offer) => [offer.offerId ?? "", offer]));
    });
  }

  async list(): Promise<Firmware[]> {
    const rows = await readFirmware(this.#deps.db);
    return rows.map(({ sha256, created_at, ...row }) => ({
      ...row,
      sha256: sha256.toString("hex"),
      created_at: created_at.toISOString(),
    }));
  }

  /** Stores it; the same content as the same version is answered again. Throws 400 and 409. */
  async upload(viewer: Viewer, query: QueryOf<typeof uploadFirmware>, content: unknown): Promise<Uploaded> {
    const { version, file_name: fileName } = query;
    if (!Buffer.isBuffer(content)) throw invalid("file", "The file itself is the body, as application/octet-stream");
    // Beside the thread that robots wait for.
    const sha256 = Buffer.from(await webcrypto.subtle.digest("SHA-256", content));
    const at = this.#deps.clock.now();
    const uploaded = await transactionWithRetry(this.#deps.db, async (tx): Promise<Uploaded | HttpError> => {
      const known = await findVersion(tx, version);
      const isSame = known?.sha256.equals(sha256) === true;
      const error = refusedUpload(version, content, known !== null && !isSame);
      const id =
        error === null && known === null
          ? await insertFirmware(tx, {
              version,
              fileName,
              content,
              sha256,
              userId: viewer.userId,
              userName: viewer.name,
              at,
            })
          : (known?.id ?? null);
      await recordAudit(tx, {
        actor: viewer,
        action: "UPLOAD_FIRMWARE",
        entity: "firmware",
        entityId: id,
        outcome: error === null ? "DONE" : "REFUSED",
        reason: error?.message ?? null,
        after: { version, file_name: fileName, bytes: content.length, sha256: sha256.toString("hex") },
        at,
      });
      if (error !== null || id === null) return error ?? notFound("Firmware");
      const message = isSame ? firmwareSentences.uploadedBefore(version) : firmwareSentences.uploaded(version);
      return { message, firmwareId: id, sha256: sha256.toString("hex") };
    });
    if (uploaded instanceof HttpError) throw uploaded;
    return uploaded;
  }

  /** Throws 404, and 409 while a rollout needs it. */
  async remove(viewer: Viewer, firmwareId: number): Promise<{ message: string }> {
    const at = this.#deps.clock.now();
    const removed = await transactionWithRetry(this.#deps.db, async (tx) => {
      const file = await lockFirmware(tx, firmwareId, true);
      if (file === null) throw notFound("Firmware");
      const { version, file_name, bytes } = file;
      const refusal = (await isNeeded(tx, firmwareId)) ? firmwareSentences.needed(version) : null;
      if (refusal === null) await storeDeleted(tx, firmwareId, at);
      await recordAudit(tx, {
        actor: viewer,
        action: "DELETE_FIRMWARE",
        entity: "firmware",
        entityId: firmwareId,
        outcome: refusal === null ? "DONE" : "REFUSED",
        reason: refusal,
        before: { version, file_name, bytes, sha256: file.sha256.toString("hex") },
        at,
      });
      return refusal === null ? { message: firmwareSentences.deleted(version) } : conflict(refusal);
    });
    if (removed instanceof HttpError) throw removed;
    return removed;
  }

  /**
   * The file for the robot that was offered it, with its length. Which of the reasons refuses it is told only to who
   * has a right signature. Throws 403.
   */
  async download(
    { offerId }: ParamsOf<typeof firmwareFile>,
    { expires, signature }: QueryOf<typeof firmwareFile>,
  ): Promise<{ readonly bytes: number; readonly stream: Readable }> {
    const offer = await this.#offers.load(offerId.toLowerCase());
    const grant = {
      offerId,
      serial: offer?.serial ?? "",
      firmwareId: offer?.firmwareId ?? 0,
      expires: Number(expires),
    };
    // Compared also where there is no such offer, so that the answer's time says nothing.
    const isSigned = this.#signer.isSigned(grant, signature);
    if (offer === null || !isSigned) throw forbidden(firmwareSentences.badAddress);
    if (grant.expires * 1000 <= this.#deps.clock.now().getTime()) throw forbidden(firmwareSentences.expiredAddress);
    if (!["OFFERED", "DOWNLOADING", "INSTALLING"].includes(offer.state)) throw forbidden(firmwareSentences.closedOffer);
    return { bytes: offer.bytes, stream: Readable.from(this.#content.of(offer.firmwareId, offer.bytes)) };
  }
}

function refusedUpload(version: string, content: Buffer, isOther: boolean): HttpError | null {
  if (content.length === 0) return invalid("file", "The file is empty");
  return isOther ? conflict(firmwareSentences.otherContent(version)) : null;
}
