import type { KeptKind, Storage, StoredDisk } from "@suncrew/contract/storage/storage.ts";
import { sizeText } from "@suncrew/domain/alerts/disk-space.ts";

interface KindLook {
  readonly label: string;
  /** What it is, for those who see only its name. */
  readonly hint: string;
}

export const kindLooks: Readonly<Record<KeptKind, KindLook>> = {
  readings: { label: "Readings", hint: "Battery, motion and mode, as robots sent them" },
  robot_events: { label: "Robot events", hint: "To recognize those that are sent again" },
  presence: { label: "Presence", hint: "When robots were reachable" },
  runs: { label: "Runs", hint: "Counted from their end" },
  commands: { label: "Commands", hint: "What robots were told to do" },
  activity: { label: "Activity log", hint: "Starts, stops and how runs ended" },
  alerts: { label: "Alerts", hint: "Counted from when they were cleared" },
  robot_days: { label: "Daily figures", hint: "Reports are made from these" },
  weather: { label: "Air and weather", hint: "At sites, by the hour" },
  monthly_reports: { label: "Monthly reports", hint: "The files" },
  mails: { label: "Mails", hint: "When they were sent, and to whom" },
  messages: { label: "Messages", hint: "Who was told of which alerts, and when" },
  events: { label: "Events for webhooks", hint: "With their deliveries" },
  firmware: { label: "Firmware files", hint: "Counted from the last rollout; the newest stays" },
  sessions: { label: "Sessions", hint: "Counted from their end" },
  sign_ins: { label: "Known browsers", hint: "From where people have signed in" },
  audit: { label: "Audit", hint: "Every change, and who made it" },
};

const diskColors: Readonly<Record<StoredDisk["level"], string>> = {
  ENOUGH: "var(--sc-status-good-fg)",
  LITTLE: "var(--sc-status-fair-fg)",
  NEARLY_NONE: "var(--sc-status-poor-fg)",
};

/** A disk with the space that is taken on it. */
export function diskLook({ server, folder, total_bytes: total, free_bytes: free, level }: StoredDisk) {
  const percent = Math.floor((100 * free) / total);
  return {
    name: folder === "database" ? "The database's disk" : `${server}, ${folder}`,
    free: `${sizeText(free)} of ${sizeText(total)} free, ${percent} %`,
    takenPercent: Math.min(100, (100 * (total - free)) / total),
    color: diskColors[level],
  };
}

const number = new Intl.NumberFormat("en-GB");

/** "For good", "92 days", "3 years". */
export function keptText(days: number | null): string {
  if (days === null) return "For good";
  if (days % 365 === 0) return days === 365 ? "1 year" : `${days / 365} years`;
  return days === 1 ? "1 day" : `${number.format(days)} days`;
}

/** PostgreSQL's estimate, so not to the last digit. */
export function rowsText(rows: number | null): string {
  if (rows === null) return "–";
  return `${rows < 1_000 ? "" : "about "}${number.format(rows < 1_000 ? rows : Number(rows.toPrecision(3)))}`;
}

/** What the last round deleted: "1,200 readings, 3 runs". */
export function deletedText({ deleted }: NonNullable<Storage["last_deletion"]>): string {
  return deleted.map(({ kind, rows }) => `${kindLooks[kind].label} ${number.format(rows)}`).join(", ");
}
