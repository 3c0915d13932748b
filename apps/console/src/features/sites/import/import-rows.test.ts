import { expect, test } from "vitest";
import { importSummary, problemSentences } from "./import-rows.ts";

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

test("Import: a problem names its column once, where it is about one", () => {
  expect(problemSentences(bad)).toEqual(["Pin code must have six digits"]);
  expect(problemSentences({ ...bad, problems: [{ field: "maintenance_email", message: "Not an address" }] })).toEqual([
    "maintenance_email: Not an address",
  ]);
  expect(problemSentences({ ...bad, problems: [{ field: "row", message: "The row has more cells" }] })).toEqual([
    "The row has more cells",
  ]);
});
