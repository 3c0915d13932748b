const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** The browser's local time, to the second, whatever its language: "21 Nov 2026, 23:12:28". */
export function exactTimeText(at: Date): string {
  return format.format(at);
}

/** Browsers keep the former names of renamed places. */
const renamed: Readonly<Record<string, string>> = {
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Europe/Kiev": "Europe/Kyiv",
};

/** The name by which people know a zone. */
export function zoneText(zone: string): string {
  return renamed[zone] ?? zone;
}

/** The name of that zone, as shown beside such times: "Asia/Kolkata". */
export function browserZone(): string {
  return zoneText(format.resolvedOptions().timeZone);
}
