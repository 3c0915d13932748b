import { DEVICES_AT_ONCE } from "@suncrew/contract/devices/devices.ts";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { serialRange } from "@suncrew/domain/devices/serial-numbers.ts";

export interface ProvisionForm {
  readonly first: string;
  /** Empty for one device. */
  readonly last: string;
}

export type ProvisionProblems = Readonly<Partial<Record<keyof ProvisionForm, string>>>;

/** The serial numbers to provision, or the problem of each field. */
export type ProvisionPreview =
  | { readonly serials: readonly string[]; readonly problems: null }
  | { readonly serials: null; readonly problems: ProvisionProblems };

const NO_SERIAL = "Letters, digits, - and _ only, 40 at most, beginning with a letter or digit";
const number = (count: number) => count.toLocaleString("en-GB");

export function provisionPreview(form: ProvisionForm, taken: ReadonlySet<string>): ProvisionPreview {
  const [first, last] = [form.first.trim(), form.last.trim()];
  const problems: Partial<Record<keyof ProvisionForm, string>> = {};
  if (first === "") problems.first = "Serial number is required";
  else if (!serialSchema.safeParse(first).success) problems.first = NO_SERIAL;
  if (last !== "" && !serialSchema.safeParse(last).success) problems.last = NO_SERIAL;
  if (Object.keys(problems).length > 0) return { serials: null, problems };
  const serials = serialRange(first, last === "" ? first : last, DEVICES_AT_ONCE);
  if (serials === null) {
    const limit = `at most ${number(DEVICES_AT_ONCE)} devices`;
    return {
      serials: null,
      problems: { last: `Counts up the first one's last digits, such as SCR-1021 to SCR-1040, ${limit}` },
    };
  }
  const takenInAnyCase = new Map([...taken].map((serial) => [serial.toLowerCase(), serial]));
  const known = serials.flatMap((serial) => takenInAnyCase.get(serial.toLowerCase()) ?? []);
  if (known.length === 0) return { serials, problems: null };
  const message =
    known.length === 1 ? `${known[0]} is taken` : `${known[0]} and ${number(known.length - 1)} more are taken`;
  return {
    serials: null,
    problems: takenInAnyCase.has(first.toLowerCase()) || last === "" ? { first: message } : { last: message },
  };
}

/** The line under the fields. */
export function previewText(serials: readonly string[]): string {
  const [first, last] = [serials[0], serials.at(-1)];
  return serials.length === 1 ? `1 device: ${first}` : `${number(serials.length)} devices: ${first} to ${last}`;
}

/** Suggests the serial number after the newest device's; empty if that does not end in digits. */
export function nextSerial(serials: readonly string[]): string {
  const newest = serials.at(-1) ?? "";
  const [, prefix, digits] = /^(.*?)(\d{1,9})$/.exec(newest) ?? [];
  if (prefix === undefined || digits === undefined) return "";
  const next = String(Number(digits) + 1).padStart(digits.length, "0");
  return next.length === digits.length ? prefix.concat(next) : "";
}
