import type { Device } from "@suncrew/contract/devices/devices.ts";
import type { SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";
import { serialObstacle } from "@suncrew/domain/devices/serial-numbers.ts";
import { matchesSearch } from "../../../ui/matches-search.ts";

/**
 * A serial number of the picker: free, on another robot, the one that the edited robot has, or free and allocated to a
 * partner that does not maintain the site.
 */
export interface SerialChoice {
  readonly serialNumber: string;
  readonly state: "free" | "assigned" | "own" | "elsewhere";
  /** Of one that is elsewhere: whose it is. */
  readonly partner?: string;
}

/** The partner of each device that cannot come to a site of the partner, by its serial number: only Super Admins see those. */
export function partnersElsewhere(
  devices: readonly Pick<Device, "serial" | "partner">[],
  sitePartnerId: number | null,
): ReadonlyMap<string, string> {
  const isElsewhere = ({ partner }: Pick<Device, "partner">) =>
    serialObstacle({
      askingPartnerId: null,
      sitePartnerId,
      device: { partnerId: partner.id, isRetired: false },
      otherRobot: null,
    }) !== null;
  return new Map(devices.filter(isElsewhere).map(({ serial, partner }) => [serial, partner.name]));
}

/** §3 Assignable serial numbers: those that the words leave, in the server's order; `own` may be chosen though it is assigned. */
export function serialChoices(
  numbers: readonly SerialNumber[],
  own: string | null,
  words: string,
  elsewhere: ReadonlyMap<string, string> = new Map(),
): readonly SerialChoice[] {
  return numbers
    .filter(({ serial_number }) => matchesSearch(words, [serial_number]))
    .map(({ serial_number: serialNumber, assigned }) => {
      if (serialNumber === own) return { serialNumber, state: "own" };
      if (assigned) return { serialNumber, state: "assigned" };
      const partner = elsewhere.get(serialNumber);
      return partner === undefined ? { serialNumber, state: "free" } : { serialNumber, state: "elsewhere", partner };
    });
}
