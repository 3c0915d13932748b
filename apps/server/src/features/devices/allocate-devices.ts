import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import type { Tx } from "../../platform/database/database.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import { type AuditActor, recordAudits } from "../audit/public.ts";
import { lockLivePartner } from "../partners/public.ts";
import { lockAllocated, storeAllocated } from "./devices.repository.ts";
import { deviceSentences } from "./device-sentences.ts";

export interface Allocation {
  readonly serials: readonly string[];
  readonly partnerId: number;
  readonly by: AuditActor;
  readonly at: Date;
}

/** What allocating came to in its transaction; a refusal is on record and is thrown after the commit. */
export type Allocated =
  | { readonly kind: "allocated"; readonly message: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/**
 * Allocates free devices to a partner, all of them or none; In-house has those of the operator. One that a robot has is
 * that partner's whose site the robot is at, and stays. Throws 404.
 */
export async function allocate(tx: Tx, { serials, partnerId, by, at }: Allocation): Promise<Allocated> {
  const partner = await holdPartner(tx, partnerId);
  const wanted = [...new Set(serials)].toSorted();
  const devices = await lockAllocated(tx, wanted);
  if (devices.length < wanted.length) throw notFound("Device");
  const serialsOf = (some: typeof devices) => some.map(({ serial }) => serial);
  const elsewhere = devices.filter((device) => device.partner_id !== partnerId);
  const retired = serialsOf(elsewhere.filter((device) => device.retired_at !== null));
  const assigned = serialsOf(elsewhere.filter((device) => device.is_assigned));
  const refusal =
    retired.length > 0
      ? deviceSentences.notAllocatedRetired(retired)
      : assigned.length > 0
        ? deviceSentences.notAllocatedAssigned(assigned)
        : null;
  await recordAudits(
    tx,
    devices.map((device) => ({
      actor: by,
      action: "ALLOCATE_DEVICE",
      entity: "device",
      entityId: device.serial,
      outcome: refusal === null ? ("DONE" as const) : ("REFUSED" as const),
      reason: refusal,
      before: { partner_id: device.partner_id, partner: device.partner_name },
      after: { partner_id: partnerId, partner },
      at,
    })),
  );
  if (refusal !== null) return { kind: "refused", error: conflict(refusal) };
  await storeAllocated(tx, serialsOf(elsewhere), partnerId);
  return {
    kind: "allocated",
    message: deviceSentences.allocated(wanted, partner, partnerId === IN_HOUSE_PARTNER_ID),
  };
}

/** The name of a partner, which is not deleted before the transaction ends. Throws 404. */
export async function holdPartner(tx: Tx, partnerId: number): Promise<string> {
  const partner = await lockLivePartner(tx, partnerId);
  if (partner === null) throw notFound("Partner");
  return partner.name;
}
