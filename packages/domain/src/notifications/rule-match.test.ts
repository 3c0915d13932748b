import fc from "fast-check";
import { severitySchema } from "@suncrew/contract/alerts/severity.ts";
import { alertKindSchema, type RuleFilter } from "@suncrew/contract/notifications/notification-rules.ts";
import { expect, inject, test } from "vitest";
import { type RuleFact, ruleMatches } from "./rule-match.ts";

const all: RuleFilter = { kinds: [], severities: [], site_ids: [], states: [], partner_ids: [] };
const stuck: RuleFact = { kind: "STUCK", severity: "WARNING", siteId: 7, state: "Tamil Nadu", partnerId: 3 };
const disk: RuleFact = { kind: "STORAGE", severity: "CRITICAL", siteId: null, state: null, partnerId: null };

test.each([
  ["without lists, every alert", {}, stuck, true],
  ["without lists, alerts about servers", {}, disk, true],
  ["its kinds", { kinds: ["LOW_BATTERY", "STUCK"] }, stuck, true],
  ["no other kind", { kinds: ["LOW_BATTERY"] }, stuck, false],
  ["its severities", { severities: ["WARNING"] }, stuck, true],
  ["no other severity", { severities: ["CRITICAL"] }, stuck, false],
  ["its sites", { site_ids: [5, 7] }, stuck, true],
  ["no other site", { site_ids: [5] }, stuck, false],
  ["its states, in whatever capitals", { states: ["tamil  nadu"] }, stuck, true],
  ["no other state", { states: ["Kerala"] }, stuck, false],
  ["its partners", { partner_ids: [3] }, stuck, true],
  ["no other partner", { partner_ids: [4] }, stuck, false],
  ["only what every list names", { kinds: ["STUCK"], site_ids: [5] }, stuck, false],
  ["with a site, nothing about servers", { site_ids: [7] }, disk, false],
  ["with a state, nothing about servers", { states: ["Kerala"] }, disk, false],
  ["with a partner, nothing about servers", { partner_ids: [3] }, disk, false],
  ["with a kind alone, servers too", { kinds: ["STORAGE"] }, disk, true],
  ["with a partner, no site without one", { partner_ids: [3] }, { ...stuck, partnerId: null }, false],
] satisfies [string, Partial<RuleFilter>, RuleFact, boolean][])("a rule is about: %s", (_, filter, fact, expected) => {
  expect(ruleMatches({ ...all, ...filter }, fact)).toBe(expected);
});

test("a rule that names more in a list that it has is about no fewer alerts", () => {
  const ids = fc.integer({ min: 1, max: 4 });
  const anyFilter = fc.record({
    kinds: fc.uniqueArray(fc.constantFrom(...alertKindSchema.options)),
    severities: fc.uniqueArray(fc.constantFrom(...severitySchema.options)),
    site_ids: fc.uniqueArray(ids),
    states: fc.uniqueArray(fc.constantFrom("Kerala", "Gujarat", "Goa")),
    partner_ids: fc.uniqueArray(ids),
  });
  const anyFact = fc.record({
    kind: fc.constantFrom(...alertKindSchema.options),
    severity: fc.constantFrom(...severitySchema.options),
    siteId: fc.option(ids),
    state: fc.option(fc.constantFrom("Kerala", "Gujarat", "Goa")),
    partnerId: fc.option(ids),
  });
  fc.assert(
    fc.property(anyFilter, anyFact, (filter, fact) => {
      if (!ruleMatches(filter, fact)) return;
      const kinds = filter.kinds.length === 0 ? [] : [...alertKindSchema.options];
      const site_ids = filter.site_ids.length === 0 ? [] : [1, 2, 3, 4];
      expect(ruleMatches({ ...filter, kinds, site_ids }, fact)).toBe(true);
      expect(ruleMatches({ ...filter, states: [], partner_ids: [] }, fact)).toBe(true);
    }),
    { numRuns: 500 * inject("soak").factor },
  );
});
