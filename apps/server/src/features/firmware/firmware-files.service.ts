import type { Firmware, firmwareFile, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import type { ParamsOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { webcrypto } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, forbidden, type HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, suncrew } from "../audit/public.ts";
import {
  findUnusedFirmware,
  findVersion,
  insertFirmware,
  isInOpenRollout,
  lockFirmware,
  readFirmware,
  readChunk,
  markFirmwareDeleted,
} from "./firmware-files.repository.ts";
import { type KnownOffer, readOffers } from "./offers.repository.ts";
import { DownloadUrlSigner } from "./download-url.ts";

export const CHUNK_BYTES = 262_144;
/** 16 MiB: one file, because the robots of a batch all download the same one together. */
const MAX_CACHED_CHUNKS = 64;

type Uploaded = ResponseOf<typeof uploadFirmware>;

/** Firmware files: uploaded and deleted by Super Admins, downloaded by the robots that were offered one. */
export class FirmwareFiles {
  readonly #deps: Dependencies;
  readonly #signer: DownloadUrlSigner;
  readonly #content: FirmwareContent;
  /** The robots of a batch begin to download together. */
  readonly #offers: BatchLoader<string, KnownOffer>;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#signer = new DownloadUrlSigner(deps.settings.secretKey);
    this.#content = new FirmwareContent(deps.db);
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

  /** Uploading the same content as the same version again succeeds. Throws 400 and 409. */
  async upload(viewer: Viewer, query: QueryOf<typeof uploadFirmware>, content: unknown): Promise<Uploaded> {
    const { version, file_name } = query;
    if (!Buffer.isBuffer(content)) throw invalid("file", "The file itself is the body, as application/octet-stream");
    // Off the main thread, which serves robots.
    const sha256 = Buffer.from(await webcrypto.subtle.digest("SHA-256", content));
    const at = this.#deps.clock.now();
    const hash = sha256.toString("hex");
    const file = { version, file_name, bytes: content.length };
    const after = { ...file, sha256: hash };
    const change = { actor: viewer, action: "UPLOAD_FIRMWARE", entity: "firmware", after, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const known = await findVersion(tx, version);
      const isSame = known?.sha256.equals(sha256) === true;
      details.entityId = known?.id ?? null;
      const refusal = refusedUpload(version, content, known !== null && !isSame);
      if (refusal !== null) throw refusal;
      const created = { created_by_user_id: viewer.userId, created_by: viewer.name, created_at: at };
      const firmwareId = known?.id ?? (await insertFirmware(tx, { ...file, sha256, content, ...created }));
      details.entityId = firmwareId;
      const message = isSame ? `Firmware ${version} was uploaded before.` : `Firmware ${version} was uploaded.`;
      return { message, firmwareId, sha256: hash };
    });
  }

  /** Throws 404, and 409 while a rollout needs it. */
  async remove(viewer: Viewer, firmwareId: number): Promise<{ message: string }> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "DELETE_FIRMWARE", entity: "firmware", entityId: firmwareId, at };
    return auditedChange(this.#deps.db, change, async (tx, details) => {
      const file = await lockFirmware(tx, firmwareId, true);
      if (file === null) throw notFound("Firmware");
      details.before = auditedFile(file);
      const { version } = file;
      if (await isInOpenRollout(tx, firmwareId)) {
        throw conflict("FIRMWARE_IN_USE", `Firmware ${version} is being deployed. Cancel its rollout first.`);
      }
      await markFirmwareDeleted(tx, firmwareId, at);
      return { message: `Firmware ${version} was deleted.` };
    });
  }

  /**
   * The file for the robot that was offered it, with its length. The reason for a refusal is given only to callers with
   * a valid signature. Throws 403.
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
    // Checked even if the offer does not exist, so that timing reveals nothing.
    const isSigned = this.#signer.isSigned(grant, signature);
    if (offer === null || !isSigned) throw forbidden("This address is not valid.", "DOWNLOAD_LINK_INVALID");
    if (grant.expires * 1000 <= this.#deps.clock.now().getTime())
      throw forbidden("This address has expired.", "DOWNLOAD_LINK_EXPIRED");
    if (!["OFFERED", "DOWNLOADING", "INSTALLING"].includes(offer.state))
      throw forbidden("This offer is over.", "OFFER_OVER");
    return { bytes: offer.bytes, stream: Readable.from(this.#content.stream(offer.firmwareId, offer.bytes)) };
  }
}

function auditedFile({ version, file_name, bytes, sha256 }: NonNullable<Awaited<ReturnType<typeof lockFirmware>>>) {
  return { version, file_name, bytes, sha256: sha256.toString("hex") };
}

/** Deletes the files that nobody has needed since that instant, as a person would. Returns how many. */
export async function deleteUnusedFirmware(db: Db, before: Date, at: Date): Promise<number> {
  let deleted = 0;
  for (const firmwareId of await findUnusedFirmware(db, before)) {
    const change = { actor: suncrew, action: "DELETE_FIRMWARE", entity: "firmware", entityId: firmwareId, at };
    deleted += await auditedChange(db, change, async (tx, details) => {
      const file = await lockFirmware(tx, firmwareId, true);
      // A rollout of it may have begun meanwhile.
      if (file === null || (await isInOpenRollout(tx, firmwareId))) {
        details.rows = [];
        return 0;
      }
      details.before = auditedFile(file);
      details.reason = "Not used for so long that it is not kept any more";
      await markFirmwareDeleted(tx, firmwareId, at);
      return 1;
    });
  }
  return deleted;
}

function refusedUpload(version: string, content: Buffer, isOther: boolean): HttpError | null {
  if (content.length === 0) return invalid("file", "The file is empty");
  if (!isOther) return null;
  return conflict(
    "FIRMWARE_VERSION_TAKEN",
    `Firmware ${version} already exists with different content. Give this file another version.`,
  );
}

/**
 * Hands out firmware in chunks, so that no file is held in memory for each robot that downloads it. Recently read
 * chunks are cached, and concurrent requests for one are combined.
 */
class FirmwareContent {
  readonly #db: Db;
  /** Least recently used first. */
  readonly #cache = new Map<string, Promise<Buffer>>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Throws if the file is deleted before its end was read. */
  async *stream(firmwareId: number, bytes: number): AsyncGenerator<Buffer> {
    for (let from = 0; from < bytes; from += CHUNK_BYTES) {
      yield await this.#chunk(firmwareId, from, Math.min(CHUNK_BYTES, bytes - from));
      // Cached chunks resolve immediately: other work must not wait until a batch of robots has its file.
      await setImmediate();
    }
  }

  #chunk(firmwareId: number, from: number, length: number): Promise<Buffer> {
    const key = `${firmwareId}:${from}`;
    const chunk = this.#cache.get(key) ?? this.#read(key, firmwareId, from, length);
    this.#cache.delete(key);
    this.#cache.set(key, chunk);
    if (this.#cache.size > MAX_CACHED_CHUNKS) this.#cache.delete(this.#cache.keys().next().value ?? "");
    return chunk;
  }

  async #read(key: string, firmwareId: number, from: number, length: number): Promise<Buffer> {
    try {
      const chunk = await readChunk(this.#db, firmwareId, from, length);
      if (chunk?.length !== length) throw new Error(`Firmware ${firmwareId} has no part at ${from} any more.`);
      return chunk;
    } catch (error) {
      this.#cache.delete(key);
      throw error;
    }
  }
}
