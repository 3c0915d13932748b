import { describe, expect, test } from "vitest";
import { mergeEdits, type MergeRules } from "./merged-edits.ts";

interface Form {
  readonly name: string;
  readonly city: string;
  readonly lat: string;
  readonly lng: string;
  readonly partnerId: number | null;
  readonly partner: string;
}

const rules: MergeRules<Form, Exclude<keyof Form, "partner">> = {
  units: [["name"], ["city"], ["lat", "lng"], ["partnerId"]],
  isSame: (one, other, field) => String(one[field]).trim() === String(other[field]).trim(),
  companions: { partnerId: "partner" },
};
const original: Form = { name: "Bhadla", city: "Phalodi", lat: "27", lng: "71", partnerId: 1, partner: "In-house" };
const merge = (mine: Partial<Form>, theirs: Partial<Form>) =>
  mergeEdits(original, { ...original, ...mine }, { ...original, ...theirs }, rules);

describe("two people's edits of one form", () => {
  test("of different fields are merged, and the other's are listed", () => {
    const both = { ...original, city: "Jodhpur", name: "Bhadla East" };
    expect(merge({ city: "Jodhpur" }, { name: "Bhadla East" })).toEqual({
      mine: both,
      theirs: both,
      taken: ["name"],
      collisions: [],
    });
  });

  test("of one field collide; only there is theirs taken, and what only I changed stays mine", () => {
    const merged = merge(
      { name: "Mine", city: "Jodhpur" },
      { name: "Theirs", partnerId: 2, partner: "SunCare Services" },
    );
    const partner = { partnerId: 2, partner: "SunCare Services" };
    expect(merged.collisions).toEqual(["name"]);
    expect(merged.taken).toEqual(["partnerId"]);
    expect(merged.mine).toEqual({ ...original, ...partner, name: "Mine", city: "Jodhpur" });
    expect(merged.theirs).toEqual({ ...original, ...partner, name: "Theirs", city: "Jodhpur" });
  });

  test("to the same value are neither a question nor news", () => {
    expect(merge({ city: "Jodhpur " }, { city: "Jodhpur" })).toMatchObject({
      mine: { city: "Jodhpur" },
      taken: [],
      collisions: [],
    });
  });

  test("of one fact in two fields collide, because nobody chose a location of which each chose one half", () => {
    const merged = merge({ lat: "28" }, { lng: "72" });
    expect(merged.collisions).toEqual(["lat", "lng"]);
    expect(merged.mine).toMatchObject({ lat: "28", lng: "71" });
    expect(merged.theirs).toMatchObject({ lat: "27", lng: "72" });
  });

  test("theirs are taken completely where I changed nothing", () => {
    const theirs = { ...original, name: "Theirs", lat: "28" };
    expect(merge({}, theirs)).toEqual({ mine: theirs, theirs, taken: ["name", "lat"], collisions: [] });
  });
});
