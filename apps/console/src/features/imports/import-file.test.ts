import { describe, expect, it, test } from "vitest";
import { importSummary, problemSentences, readCsvBytes, readCsvFile } from "./import-file.ts";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

describe("Import: the file's encoding", () => {
  it("reads UTF-8 with and without its byte order mark", () => {
    const name = "भडला सोलर पार्क";
    expect(readCsvBytes(new TextEncoder().encode(name).buffer)).toEqual({ text: name });
    expect(readCsvBytes(new TextEncoder().encode(`\uFEFF${name}`).buffer)).toEqual({ text: name });
  });

  it("reads UTF-16, as spreadsheets write Unicode text", () => {
    expect(readCsvBytes(bytes(0xff, 0xfe, 0x28, 0x09))).toEqual({ text: "न" });
    expect(readCsvBytes(bytes(0xfe, 0xff, 0x09, 0x28))).toEqual({ text: "न" });
  });

  it("refuses files that would garble names, are empty or too large", async () => {
    expect(readCsvBytes(bytes(0x4d, 0xfc, 0x6c))).toMatchObject({ problem: expect.stringContaining("UTF-8") });
    expect(await readCsvFile(new File([], "a.csv"))).toEqual({ problem: "The file is empty." });
    const large = new File([new Uint8Array(2_097_153)], "a.csv");
    expect(await readCsvFile(large)).toMatchObject({ problem: expect.stringContaining("larger than 2 MiB") });
  });
});

const good = { row: 2, name: "A", day: "2026-11-01", problems: [] };
const bad = {
  row: 3,
  name: "",
  day: null,
  problems: [{ field: "pin_code", message: "Pin code must have six digits" }],
};

test.each([
  [[good, bad], "2 rows, 1 with problems"],
  [[good], "1 row, none with problems"],
  [[], "0 rows, none with problems"],
])("Import: the summary of %j", (rows, text) => {
  expect(importSummary({ rows })).toBe(text);
});

test("Import: a problem names its column once, if it is about one", () => {
  expect(problemSentences(bad)).toEqual(["Pin code must have six digits"]);
  expect(problemSentences({ ...bad, problems: [{ field: "maintenance_email", message: "Not an address" }] })).toEqual([
    "maintenance_email: Not an address",
  ]);
  expect(problemSentences({ ...bad, problems: [{ field: "row", message: "The row has more cells" }] })).toEqual([
    "The row has more cells",
  ]);
});
