/** The partner of every installation, which has the operator's own devices and sites. */
export const IN_HOUSE_PARTNER_ID = 1;

/** Who wants to put a robot with some serial number at a site, and what is known of the serial number. */
export interface SerialUse {
  /** The partner of whoever asks; null for a Super Admin. */
  readonly askingPartnerId: number | null;
  /** The partner of the site that the robot is to be at; null where it has none. */
  readonly sitePartnerId: number | null;
  /** Null where no such device was provisioned. */
  readonly device: { readonly partnerId: number; readonly isRetired: boolean } | null;
  /** The other robot that has the device, with its site's partner; null where none has. */
  readonly otherRobot: { readonly sitePartnerId: number | null } | null;
}

/**
 * Why a robot may not be given a serial number: there is no such device for whoever asks, it was retired, another robot
 * has it, or it is allocated to a partner that does not maintain the site.
 */
export type SerialObstacle = "unknown" | "retired" | "taken" | "another partner's";

/**
 * §6: a partner uses the devices that are allocated to it, and all others are as if they were not there: a machine that
 * was another's a minute ago can still move near people there. A Super Admin uses those of the operator anywhere, and
 * those of a partner at that partner's sites. Null where the robot may be given it.
 */
export function serialObstacle({
  askingPartnerId,
  sitePartnerId,
  device,
  otherRobot,
}: SerialUse): SerialObstacle | null {
  const has = (partnerId: number | null) => askingPartnerId === null || partnerId === askingPartnerId;
  if (otherRobot !== null) return has(otherRobot.sitePartnerId) ? "taken" : "unknown";
  if (device === null || !has(device.partnerId)) return "unknown";
  if (device.isRetired) return "retired";
  const fits = [IN_HOUSE_PARTNER_ID, sitePartnerId ?? IN_HOUSE_PARTNER_ID];
  return askingPartnerId !== null || fits.includes(device.partnerId) ? null : "another partner's";
}

const NUMBERED = /^(.*?)(\d{1,9})$/;

/**
 * The serial numbers from the first to the last, counted up in the digits at their end: SCR-1021 to SCR-1040. Null where
 * the two are no such pair (other letters, other number of digits, the last before the first) or are more than `most`.
 */
export function serialRange(first: string, last: string, most: number): string[] | null {
  if (first === last) return [first];
  const [, prefix, digits] = NUMBERED.exec(first) ?? [];
  const [, lastPrefix, lastDigits] = NUMBERED.exec(last) ?? [];
  if (prefix === undefined || digits === undefined || lastDigits === undefined) return null;
  const count = Number(lastDigits) - Number(digits) + 1;
  if (prefix !== lastPrefix || digits.length !== lastDigits.length || count < 1 || count > most) return null;
  return Array.from({ length: count }, (_, index) =>
    prefix.concat(String(Number(digits) + index).padStart(digits.length, "0")),
  );
}
