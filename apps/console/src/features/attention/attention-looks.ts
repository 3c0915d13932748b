import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";

/** Robots of one item that are named; of more than that, how many there are. */
const NAMED = 2;

/** Who or what an item is about: "SCR-1003, SCR-1004", "4 robots", or the whole site. */
export function subjectOf({ robots, robot_count, site_name }: AttentionItem): string {
  if (robots.length === 0) return site_name ?? "Suncrew's servers";
  return robot_count > NAMED ? robotCountText(robot_count) : robots.map(serialOf).join(", ");
}

/** All of its robots and their site. */
export function namesOf({ robots, robot_count, site_name }: AttentionItem): string {
  const more = robot_count - robots.length;
  const names = [...robots.map(serialOf), ...(more > 0 ? [`${more} more`] : [])];
  return [...names, ...(site_name === null ? [] : [site_name])].join(", ");
}

const serialOf = ({ serial_number: serial }: AttentionItem["robots"][number]) => serial;
