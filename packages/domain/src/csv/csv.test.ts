import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCsv, writeCsv } from "./csv.ts";

describe("§9 CSV exports: they open in a spreadsheet and contain no formula", () => {
  test("byte order mark, line ends, and every cell in quotation marks", () => {
    expect(
      writeCsv(
        ["Name", "City", "Robots"],
        [
          ["सौर, पार्क", 'the "big" one', 3],
          [null, "", "a;b"],
        ],
      ),
    ).toBe('\uFEFF"Name","City","Robots"\r\n"सौर, पार्क","the ""big"" one","3"\r\n"","","a;b"\r\n');
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["-2+3", "'-2+3"],
    ["+1-800-555", "'+1-800-555"],
    ["＝1+1", "'＝1+1"],
    [" =1+1", "' =1+1"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["park;=1+1;", "park;'=1+1;"],
    ["park,=1+1", "park,'=1+1"],
    ["park\t@x", "park\t'@x"],
    ["park\n+x\r\n-y", "park\n'+x\r\n'-y"],
    ['park; "=1+1', 'park;\' ""=1+1'],
    ["'=1+1", "''=1+1"],
    ["+91 98765 43210", "+91 98765 43210"],
    ["+919876543210", "+919876543210"],
    ["-71.91", "-71.91"],
    ["-1e-7", "-1e-7"],
    ["plain; a=b, c-d", "plain; a=b, c-d"],
    ["O'Neill", "O'Neill"],
  ])("%j is written as %j", (given, written) => {
    expect(writeCsv(["a", "b"], [["", given]])).toBe(`\uFEFF"a","b"\r\n"","${written}"\r\n`);
  });

  test("a number at the start of a row is text: a reader that expects semicolons joins it with the cells after it", () => {
    expect(writeCsv(["a", "b"], [["-1", "5*HYPERLINK(A1)"]])).toContain(`\r\n"'-1","5*HYPERLINK(A1)"\r\n`);
  });

  /** What people may send, including much that is dangerous. */
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "＝", ";", ",", "\t", "\n", "\r", '"', "'", " ", "a", "1") }),
  );

  test("split at commas, semicolons, tabs or line ends, whatever the quotation marks say, nothing begins a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, fc.constantFrom("-71.91", "+91 98"))), (rows) => {
        const file = writeCsv(["a", "b", "c"], rows).replaceAll(/"(?:-71\.91|\+91 98)"\r\n/g, '""\r\n');
        for (const by of [/[,\r\n]/, /[;\r\n]/, /[\t\r\n]/]) {
          const begun = file.split(by).filter((cell) => /^["\s]*[=+\-@＝]/.test(cell));
          expect(begun).toEqual([]);
        }
      }),
    );
  });

  test("whatever was written is read back unchanged", () => {
    const cell = text.map((given) => given.trim());
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const written = rows.filter((row) => row.some((given) => given !== ""));
        const read = readCsv(writeCsv(["a", "b"], written), written.length);
        expect(read.problem).toBeNull();
        expect(read.rows.map(({ cells }) => [cells["a"], cells["b"]])).toEqual(written);
        expect(read.rows.every(({ isComplete }) => isComplete)).toBe(true);
      }),
    );
  });
});

describe("CSV files of spreadsheets are read", () => {
  test.each([",", ";", "\t"])(
    "%j between the cells; names in any case; blank lines count as rows and are left out",
    (by) => {
      const text = [["Name ", "PIN_CODE"].join(by), "", ["Park", "342301"].join(by)].join("\n");
      expect(readCsv(text, 10)).toEqual({
        columns: ["name", "pin_code"],
        rows: [{ row: 3, cells: { name: "Park", pin_code: "342301" }, isComplete: true }],
        problem: null,
      });
    },
  );

  test("a row of another length, a duplicate column and an open quote are reported", () => {
    expect(readCsv("a,b\n1,2,3\n1\n", 10).rows.map(({ isComplete }) => isComplete)).toEqual([false, false]);
    expect(readCsv("a,A\n1,2\n", 10).problem).toBe("The column a appears twice.");
    expect(readCsv('a,b\n"1,2\n', 10).problem).toContain("quotation mark");
  });

  test("one row beyond the limit is read, and none of a file with too many columns", () => {
    expect(readCsv(`a\n${"1\n".repeat(500)}`, 100).rows).toHaveLength(101);
    const wide = readCsv(`${Array.from({ length: 40_000 }, (_, at) => `c${at}`).join(",")}\n${"1\n".repeat(9)}`, 100);
    expect(wide).toEqual({ columns: [], rows: [], problem: "The file has more than 60 columns." });
  });

  test("input designed to be slow is not parsed to the end", () => {
    expect(readCsv(`a\n${"\n".repeat(1_000_000)}1\n`, 100).problem).toBe("The file has too many blank rows.");
    const rowsLookedAt = (text: string) => readCsv(text, 100).rows.length;
    expect(rowsLookedAt(`a\n${"1\n".repeat(1_000_000)}`)).toBe(101);
    expect(readCsv("a\n\n", 0)).toMatchObject({ rows: [], problem: null });
    expect(rowsLookedAt(`a\n${",".repeat(1_000_000)}1\n`)).toBe(1);
  });
});
