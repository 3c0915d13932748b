/** How much space is left on a disk. */
export type DiskLevel = "ENOUGH" | "LITTLE" | "NEARLY_NONE";

/** Free shares below which a level begins. */
const LITTLE_BELOW = 0.15;
const NEARLY_NONE_BELOW = 0.05;
/** A level ends only this much above: files that come and go raise no alert over and over. */
const HYSTERESIS = 0.02;

export interface DiskSpace {
  readonly totalBytes: number;
  /** What Suncrew itself may still write. */
  readonly freeBytes: number;
}

export function diskLevel({ totalBytes, freeBytes }: DiskSpace, former: DiskLevel): DiskLevel {
  const free = freeBytes / totalBytes;
  const isBelow = (limit: number, wasBelow: boolean) => free < limit + (wasBelow ? HYSTERESIS : 0);
  if (isBelow(NEARLY_NONE_BELOW, former === "NEARLY_NONE")) return "NEARLY_NONE";
  return isBelow(LITTLE_BELOW, former !== "ENOUGH") ? "LITTLE" : "ENOUGH";
}

const units = ["kB", "MB", "GB", "TB"] as const;

/** A size for people: 512 kB, 4.7 MB, 120 GB. */
export function sizeText(bytes: number): string {
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}
