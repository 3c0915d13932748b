/** The built-in partner that owns the operator's own devices and sites. */
export const IN_HOUSE_PARTNER_ID = 1;

/** A request to give a robot at a site a serial number. */
export interface SerialUse {
  /** The requesting user's partner; null for a Super Admin. */
  readonly askingPartnerId: number | null;
  /** The partner of the robot's site; null if it has none. */
  readonly sitePartnerId: number | null;
  /** Null if no such device is provisioned. */
  readonly device: { readonly partnerId: number; readonly isRetired: boolean } | null;
  /** Another robot, or site by its sensor, that has the device, with its site's partner; null if none has. */
  readonly otherRobot: { readonly sitePartnerId: number | null } | null;
}

/**
 * Why a serial number cannot be assigned: the user can see no such device, it is retired, another robot has it, or it is
 * allocated to a partner that does not maintain the site.
 */
export type SerialBlockedReason = "unknown" | "retired" | "taken" | "another partner's";

/**
 * §6: a partner can use only devices allocated to it and sees no others: a machine that belonged to someone else a minute
 * ago may still be moving near people there. A Super Admin can use the operator's devices anywhere, and a partner's at
 * that partner's sites. Null if the serial number can be assigned.
 */
export function serialBlockedReason({
  askingPartnerId,
  sitePartnerId,
  device,
  otherRobot,
}: SerialUse): SerialBlockedReason | null {
  const has = (partnerId: number | null) => askingPartnerId === null || partnerId === askingPartnerId;
  if (otherRobot !== null) return has(otherRobot.sitePartnerId) ? "taken" : "unknown";
  if (device === null || !has(device.partnerId)) return "unknown";
  if (device.isRetired) return "retired";
  const fits = [IN_HOUSE_PARTNER_ID, sitePartnerId ?? IN_HOUSE_PARTNER_ID];
  return askingPartnerId !== null || fits.includes(device.partnerId) ? null : "another partner's";
}

const NUMBERED = /^(.*?)(\d{1,9})$/;

/**
 * The serial numbers from first to last, numbered by their trailing digits: SCR-1021 to SCR-1040. Null if they do not
 * form a range (other prefix, other number of digits, last before first) or are more than `max`.
 */
export function serialRange(first: string, last: string, max: number): string[] | null {
  if (first === last) return [first];
  const [, prefix, digits] = NUMBERED.exec(first) ?? [];
  const [, lastPrefix, lastDigits] = NUMBERED.exec(last) ?? [];
  if (prefix === undefined || digits === undefined || lastDigits === undefined) return null;
  const count = Number(lastDigits) - Number(digits) + 1;
  if (prefix !== lastPrefix || digits.length !== lastDigits.length || count < 1 || count > max) return null;
  return Array.from({ length: count }, (_, index) =>
    prefix.concat(String(Number(digits) + index).padStart(digits.length, "0")),
  );
}
