import { webcrypto } from "node:crypto";
import { Readable } from "node:stream";
import type { Firmware, firmwareFile, uploadFirmware } from "@suncrew/contract/firmware/firmware.ts";
import type { ParamsOf, QueryOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { conflict, forbidden, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { BatchLoader } from "../../platform/batch-loader.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import {
  findVersion,
  insertFirmware,
  isNeeded,
  lockFirmware,
  readFirmware,
  storeDeleted,
} from "./firmware-files.repository.ts";
import { FirmwareParts } from "./firmware-parts.ts";
import { firmwareSentences } from "./firmware-sentences.ts";
import { type KnownOffer, readOffers } from "./offers.repository.ts";
import { AddressSigner } from "./signed-address.ts";

type Uploaded = ResponseOf<typeof uploadFirmware>;

/** Firmware files: uploaded and deleted by Super Admins, downloaded by the robots that were offered one. */
export class FirmwareFiles {
  readonly #deps: Dependencies;
  readonly #signer: AddressSigner;
  readonly #content: FirmwareParts;
  /** A batch begins to download at the same moment. */
  readonly #offers: BatchLoader<string, KnownOffer>;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#signer = new AddressSigner(deps.settings.secretKey);
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
