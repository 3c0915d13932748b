import type { Device } from "@suncrew/contract/devices/devices.ts";
import { matchesEveryWord } from "../../ui/matches-search.ts";

export type DeviceState = "free" | "assigned" | "retired";
/** "all" or one state. */
export type DeviceFilter = DeviceState | "all";

export const deviceFilters: readonly DeviceFilter[] = ["all", "free", "assigned", "retired"];

export function deviceState(device: Device): DeviceState {
  if (device.retired_at !== null) return "retired";
  return device.robot === null && device.sensor_of === null ? "free" : "assigned";
}

/** What is inconsistent between a device and the broker; null if nothing is. */
export function deviceNote({ secret_unsure, broker_pending }: Device): string | null {
  if (secret_unsure) return "rotate again";
  return broker_pending ? "broker not updated yet" : null;
}

/** How many devices match each choice of the filter. */
export function deviceCounts(devices: readonly Device[]): Readonly<Record<DeviceFilter, number>> {
  const counts = { all: devices.length, free: 0, assigned: 0, retired: 0 };
  for (const device of devices) counts[deviceState(device)] += 1;
  return counts;
}

/** The devices that match the filter and every word of the search, in serial number, partner, robot or site. */
export function devicesFound(devices: readonly Device[], filter: DeviceFilter, search: string): readonly Device[] {
  return devices.filter((device) => {
    const { serial, partner, robot, sensor_of: site } = device;
    if (filter !== "all" && deviceState(device) !== filter) return false;
    return matchesEveryWord(search, [
      serial,
      partner.name,
      robot?.name ?? "",
      robot?.site_name ?? site?.site_name ?? "",
    ]);
  });
}

const byName = new Intl.Collator("en");

/** The partners that have devices, by name. */
export function partnersOf(devices: readonly Device[]): readonly Device["partner"][] {
  const partners = new Map(devices.map(({ partner }) => [partner.id, partner]));
  return [...partners.values()].toSorted((one, other) => byName.compare(one.name, other.name));
}
