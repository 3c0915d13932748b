import { expect, test } from "vitest";
import { nextSerial, previewText, provisionPreview } from "./provision-form.ts";

const taken = new Set(["SCR-1020", "SCR-1021"]);

test.each([
  [{ first: " SCR-1022 ", last: "" }, "1 device: SCR-1022"],
  [{ first: "SCR-1022", last: "SCR-1022" }, "1 device: SCR-1022"],
  [{ first: "SCR-1022", last: "SCR-2021" }, "1,000 devices: SCR-1022 to SCR-2021"],
])("protocol rule 9: %j is provisioned as announced", (form, text) => {
  expect(previewText(provisionPreview(form, taken).serials ?? [])).toBe(text);
});

test.each([
  [{ first: "", last: "" }, { first: "Serial number is required" }],
  [
    { first: "a/b", last: "é" },
    { first: expect.stringContaining("Letters"), last: expect.stringContaining("Letters") },
  ],
  [{ first: "SCR-1022", last: "SCR-2022" }, { last: expect.stringContaining("at most 1,000") }],
  [{ first: "SCR-1030", last: "SCR-1022" }, { last: expect.stringContaining("Counts up") }],
  [{ first: "SCR-1020", last: "" }, { first: "SCR-1020 is taken" }],
  [{ first: "scr-1020", last: "" }, { first: "SCR-1020 is taken" }],
  [{ first: "SCR-1020", last: "SCR-1025" }, { first: "SCR-1020 and 1 more are taken" }],
  [{ first: "SCR-1019", last: "SCR-1020" }, { last: "SCR-1020 is taken" }],
])("protocol rule 9: %j is refused at its fields", (form, problems) => {
  expect(provisionPreview(form, taken)).toEqual({ serials: null, problems });
});

test.each([
  [["SCR-1019", "SCR-1020"], "SCR-1021"],
  [["SCR-0099"], "SCR-0100"],
  [["SCR-99"], ""],
  [["ROBOT"], ""],
  [[], ""],
])("after %j comes %j", (serials, next) => {
  expect(nextSerial(serials)).toBe(next);
});
