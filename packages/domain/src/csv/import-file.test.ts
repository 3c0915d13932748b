import { describe, expect, test } from "vitest";
import { dayOfCell, firstPerField, readImportFile, findDuplicateRows } from "./import-file.ts";

const columns = { all: ["name", "pin_code", "phone"], optional: ["phone"] } as const;
const fieldsOf = (text: string) => readImportFile(text, columns).problems.map(({ field }) => field);

describe("Import: the entire file", () => {
  test("columns come in any order and case; what may be left out is blank", () => {
    expect(readImportFile("PIN_CODE;Name\n342301;Park\n", columns)).toEqual({
      lines: [{ row: 2, cells: { name: "Park", pin_code: "342301", phone: "" }, problems: [] }],
      problems: [],
    });
  });

  test.each([
    ["name\nPark\n", ["pin_code"]],
    ["name,pin_code,pincode\nPark,1,2\n", ["pincode"]],
    ["name,pin_code,\nPark,1,lost\n", [""]],
    ["name,pin_code,\nPark,1,\n", []],
    ["name,pin_code\n", ["csv"]],
    ["", ["name", "pin_code"]],
    ['name,pin_code\n"Park,1\n', ["csv"]],
    [`name,pin_code\n${"Park,1\n".repeat(5_001)}`, ["csv"]],
  ])("%j has the problems %j", (text, fields) => {
    expect(fieldsOf(text)).toEqual(fields);
  });

  test("a row of another length is reported, and so is a number that a spreadsheet has shortened", () => {
    const { lines } = readImportFile("name,pin_code,phone\nA,1\nB,2,9.19877E+11\nC,3,+91 98\n", columns);
    expect(lines.map(({ row, problems }) => [row, problems.map(({ field }) => field)])).toEqual([
      [2, ["row"]],
      [3, ["phone"]],
      [4, []],
    ]);
  });
});

describe("Import: days as spreadsheets write them", () => {
  test.each([
    ["2023-03-31", "2023-03-31"],
    ["31-03-2023", "2023-03-31"],
    ["31/03/2023", "2023-03-31"],
    ["04/04/2023", "2023-04-04"],
    ["13/04/2023", "2023-04-13"],
    ["04/13/2023", "2023-13-04"],
    ["00/04/2023", "2023-04-00"],
    ["3/31/2023", "3/31/2023"],
    ["31-03/2023", "31-03/2023"],
    ["31-03-23", "31-03-23"],
    ["", ""],
  ])("%j is %j", (cell, day) => {
    expect(dayOfCell(cell)).toEqual({ day, problem: null });
  });

  test.each(["01/11/2026", "01-11-2026"])("%s is refused: months may come first", (cell) => {
    const problem = `${cell} could be 2026-11-01 or 2026-01-11; write the date as YYYY-MM-DD`;
    expect(dayOfCell(cell)).toEqual({ day: cell, problem });
  });
});

test("Import: rows that have the same name each other's rows", () => {
  const found = findDuplicateRows(["a", "b", "a", null, null, "a"], (nth) => nth + 2);
  expect([...found]).toEqual([
    [0, [4, 7]],
    [2, [2, 7]],
    [5, [2, 4]],
  ]);
});

test("Import: the first problem of each column is reported", () => {
  const problem = (field: string, message: string) => ({ field, message });
  const told = firstPerField([problem("a", "1"), problem("b", "2"), problem("a", "3")]);
  expect(told.toSorted((one, other) => one.field.localeCompare(other.field))).toEqual([
    problem("a", "1"),
    problem("b", "2"),
  ]);
});
