import { ROBOT_COLUMNS, type ROBOT_OPTIONAL_COLUMNS } from "@suncrew/contract/robots/robot-forms.ts";
import { SITE_COLUMNS, type SITE_OPTIONAL_COLUMNS } from "@suncrew/contract/sites/sites.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import type { ImportKind } from "./import-kinds.ts";

export const importColumns: Record<ImportKind, readonly string[]> = { sites: SITE_COLUMNS, robots: ROBOT_COLUMNS };

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

/** A file to begin from: the columns, and rows that show how each is written. */
export function templateOf(kind: ImportKind): string {
  return kind === "sites"
    ? writeCsv(
        SITE_COLUMNS,
        siteExamples.map((example) => SITE_COLUMNS.map((column) => example[column] ?? "")),
      )
    : writeCsv(
        ROBOT_COLUMNS,
        robotExamples.map((example) => ROBOT_COLUMNS.map((column) => example[column] ?? "")),
      );
}
