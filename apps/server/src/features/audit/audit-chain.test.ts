import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { CHAIN_START, chainHash, type SealedContent } from "./audit-chain.repository.ts";

const row: SealedContent = {
  id: "7",
  at: "2026-06-15T06:30:00.000000",
  user_id: "3",
  actor: "Asha Rathore",
  action: "UPDATE_SITE",
  entity: "site",
  entity_id: "1",
  site_id: "1",
  outcome: "DONE",
  reason: null,
  before: '{"name": "A"}',
  after: '{"name": "B"}',
  target_name: null,
  site_name: null,
};

test("audit, the chain: a row from before names were stored has the hash that it was sealed with", () => {
  const content = [1, ...Object.values(row).slice(0, 12)];
  const sealed = createHash("sha256").update(CHAIN_START).update(JSON.stringify(content)).digest();
  expect(chainHash(CHAIN_START, 1, row)).toEqual(sealed);
});

test("audit, the chain: names are sealed, each in its place, and can be neither added nor removed", () => {
  const names = [
    { target_name: null, site_name: null },
    { target_name: "A", site_name: null },
    { target_name: null, site_name: "A" },
    { target_name: "A", site_name: "A" },
  ];
  const hashes = names.map((name) => chainHash(CHAIN_START, 1, { ...row, ...name }).toString("hex"));
  expect(new Set(hashes).size).toBe(names.length);
});
