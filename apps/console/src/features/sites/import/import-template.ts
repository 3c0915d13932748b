import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { ROBOT_COLUMNS, SITE_COLUMNS } from "@suncrew/domain/csv/import-columns.ts";
import type { ImportKind } from "./import-kinds.ts";

export const importColumns: Record<ImportKind, readonly string[]> = { sites: SITE_COLUMNS, robots: ROBOT_COLUMNS };

type Example<Columns extends readonly string[]> = Record<Columns[number], string>;

const siteExamples: readonly Example<typeof SITE_COLUMNS>[] = [
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
    maintenance_contact_name: "",
    maintenance_contact: "",
    maintenance_email: "",
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
    maintenance_partner: "",
    maintenance_contact_name: "Ravi Kumar",
    maintenance_contact: "+91 98000 00000",
    maintenance_email: "ravi@example.com",
  },
];

const robotExamples: readonly Example<typeof ROBOT_COLUMNS>[] = [
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
  const row = <Column extends string>(columns: readonly Column[], example: Record<Column, string>) =>
    columns.map((column) => example[column]);
  return kind === "sites"
    ? writeCsv(
        SITE_COLUMNS,
        siteExamples.map((example) => row(SITE_COLUMNS, example)),
      )
    : writeCsv(
        ROBOT_COLUMNS,
        robotExamples.map((example) => row(ROBOT_COLUMNS, example)),
      );
}
