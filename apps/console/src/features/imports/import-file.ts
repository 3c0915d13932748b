import { IMPORT_MAX_BYTES, type ImportResponse, type ImportRow } from "@suncrew/contract/http/import.ts";
import { MEASUREMENT_COLUMNS, type MeasurementColumn } from "@suncrew/contract/measurements/measurements.ts";
import { ROBOT_COLUMNS, type ROBOT_OPTIONAL_COLUMNS } from "@suncrew/contract/robots/robot-files.ts";
import { SITE_COLUMNS, type SITE_OPTIONAL_COLUMNS } from "@suncrew/contract/sites/site-files.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import type { ImportTarget } from "./import-calls.ts";

type FileReading = { readonly text: string } | { readonly problem: string };

/** The text of a chosen file, or why it cannot be used, as plain text. */
export async function readCsvFile(file: File): Promise<FileReading> {
  if (file.size === 0) return { problem: "The file is empty." };
  if (file.size > IMPORT_MAX_BYTES) {
    return { problem: `The file is larger than ${IMPORT_MAX_BYTES / 1_048_576} MiB. Split it into several files.` };
  }
  try {
    return readCsvBytes(await file.arrayBuffer());
  } catch {
    return { problem: "The file could not be read. Choose it again." };
  }
}

/**
 * UTF-8, or UTF-16 by its byte order mark; another encoding would garble names, so it is refused rather than guessed.
 */
export function readCsvBytes(bytes: ArrayBuffer): FileReading {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "The file is not saved as UTF-8. In the spreadsheet, save it as “CSV UTF-8”." };
  }
}

export const importColumns: Record<ImportTarget["kind"], readonly string[]> = {
  sites: SITE_COLUMNS,
  robots: ROBOT_COLUMNS,
  measurements: MEASUREMENT_COLUMNS,
};

/** A row of the template; columns that it leaves out are blank. */
type Example<Column extends string, Optional extends Column> = Readonly<
  Record<Exclude<Column, Optional>, string> & Partial<Record<Optional, string>>
>;

const siteExamples: readonly Example<(typeof SITE_COLUMNS)[number], (typeof SITE_OPTIONAL_COLUMNS)[number]>[] = [
  {
    name: "Example Solar Park",
    address: "Village Road 1",
    district: "Jodhpur",
    state: "Rajasthan",
    pin_code: "342301",
    latitude: "27.539700",
    longitude: "71.915300",
    commissioning_date: "2024-04-01",
    maintenance_partner: "In-house",
  },
  {
    name: "Example Solar Park 2",
    address: "Village Road 2",
    district: "Kurnool",
    state: "Andhra Pradesh",
    pin_code: "518010",
    latitude: "15.681500",
    longitude: "78.283900",
    commissioning_date: "2024-05-01",
    maintenance_contact_name: "Ravi Kumar",
    maintenance_contact: "+91 98000 00000",
    maintenance_email: "ravi@example.com",
  },
];

const robotExamples: readonly Example<(typeof ROBOT_COLUMNS)[number], (typeof ROBOT_OPTIONAL_COLUMNS)[number]>[] = [
  {
    site: "Example Solar Park",
    serial_number: "SCR-1020",
    robot_name: "Row 1",
    motor_type: "BLDC",
    control_type: "PLC",
    installation_date: "2024-04-15",
  },
];

const measurementExamples: readonly Partial<Record<MeasurementColumn, string>>[] = [
  { start: "2026-06-01", meter_energy_kwh: "41250", curtailed: "no" },
  { start: "2026-06-02 10:00", inverter_energy_kwh: "5120.5", soiling_ratio: "0.974" },
];

const examples: Record<ImportTarget["kind"], readonly Readonly<Partial<Record<string, string>>>[]> = {
  sites: siteExamples,
  robots: robotExamples,
  measurements: measurementExamples,
};

/** A file to start from: the columns, and rows that show how each is written. */
export function templateOf(kind: ImportTarget["kind"]): string {
  const columns = importColumns[kind];
  return writeCsv(
    columns,
    examples[kind].map((example) => columns.map((column) => example[column] ?? "")),
  );
}

/** Rows that cannot be imported. */
export function importProblemCount({ rows }: Pick<ImportResponse, "rows">): number {
  return rows.filter(({ problems }) => problems.length > 0).length;
}

/** As in "12 rows, 3 with problems". */
export function importSummary(answer: Pick<ImportResponse, "rows">): string {
  const count = answer.rows.length;
  const bad = importProblemCount(answer);
  return `${count.toLocaleString("en-GB")} ${count === 1 ? "row" : "rows"}, ${bad === 0 ? "none" : bad.toLocaleString("en-GB")} with problems`;
}

/** A row's problems, each with the column that it is about unless its text names it. */
export function problemSentences({ problems }: ImportRow): readonly string[] {
  return problems.map(({ field, message }) => {
    const isNamed = field === "" || field === "row" || message.toLowerCase().includes(field.replaceAll("_", " "));
    return isNamed ? message : `${field}: ${message}`;
  });
}
