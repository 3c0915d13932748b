import { readCsv } from "@suncrew/domain/csv/csv.ts";
import { expect, test } from "vitest";
import { partnersFile } from "./partners-file.ts";

test("§9 CSV exports: the columns of maintenance_partners.csv, phone numbers as they are, no formula", () => {
  const text = partnersFile([
    {
      id: 2,
      name: "=सौर सेवा",
      contact_person: null,
      contact_info: "+91 98290 41276",
      email: "asha@suncare.example",
      address: "not in the file",
      city: "Jodhpur",
      state: "Rajasthan",
      zip_code: "342003",
      country: "INDIA",
      tax_id: null,
      registration: "U40106",
      certifications: "ISO 9001",
      status: "ACTIVE",
      created_at: "2025-01-05T08:00:00.000Z",
      username: "suncare.services",
      user_id: 3,
      enc_password: "never-in-a-file",
      built_in: false,
      version: 1,
    },
  ]);
  expect(text.split("\r\n")).toEqual([
    '\uFEFF"Name","Contact Person","Email","Phone","City","State","Registration","Username"',
    `"'=सौर सेवा","","asha@suncare.example","+91 98290 41276","Jodhpur","Rajasthan","U40106","suncare.services"`,
    "",
  ]);
  expect(readCsv(text, 10).rows[0]?.cells["phone"]).toBe("+91 98290 41276");
});
