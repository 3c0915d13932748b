import type { CommandMessage, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { RuleChecker } from "../../test/rule-checker.ts";
import { LINK_LOSS_MS, RobotHarness } from "../../test/robot-harness.ts";

const HISTORIES = 1_000 * inject("soak").factor;
/** Enough for a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000;
const verbs = [
  "START",
  "START",
  "STOP",
  "SET",
  "MAINTENANCE_ON",
  "MAINTENANCE_OFF",
  "MAINTENANCE_OFF",
  "STATUS",
] as const;

type Step =
  | { do: "issue"; verb: (typeof verbs)[number]; maxDurationS: number; arrives: boolean }
  /** Any command ever issued, so that delivery is late, repeated and out of order. */
  | { do: "deliver"; pick: number; retained: boolean }
  | { do: "offer"; arrives: boolean }
  /** Any offer ever made, late and repeated; or the result of its download. */
  | { do: "deliver offer" | "download"; pick: number; isWhole: boolean }
  | { do: "pass"; ms: number }
  | { do: "disconnect" | "connect" | "lose power" }
  | { do: "set clock"; offsetMs: number | null }
  | { do: "condition"; jammed: boolean; failedChargerPercent: number | null }
  | { do: "garbage"; text: string };

function weighted(weight: number, arbitrary: fc.Arbitrary<Step>): fc.WeightedArbitrary<Step> {
  return { weight, arbitrary };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    11,
    fc.record({
      do: fc.constant("issue" as const),
      verb: fc.constantFrom(...verbs),
      maxDurationS: fc.constantFrom(1, 60, 600, 28_800),
      arrives: fc.boolean(),
    }),
  ),
  weighted(
    8,
    fc.record({ do: fc.constant("deliver" as const), pick: fc.nat(60), retained: fc.nat(9).map((n) => n === 0) }),
  ),
  weighted(1, fc.record({ do: fc.constant("offer" as const), arrives: fc.boolean() })),
  weighted(
    3,
    fc.record({
      do: fc.constantFrom("deliver offer" as const, "download" as const, "download" as const, "download" as const),
      pick: fc.nat(1),
      isWhole: fc.nat(4).map((n) => n > 0),
    }),
  ),
  weighted(
    4,
    fc.record({
      do: fc.constant("pass" as const),
      ms: fc.oneof(fc.nat(500), fc.nat(6_000), fc.nat(60_000), fc.nat(2 * LINK_LOSS_MS)),
    }),
  ),
  weighted(
    2,
    fc.record({
      do: fc.constantFrom("disconnect" as const, "connect" as const, "connect" as const, "lose power" as const),
    }),
  ),
  weighted(
    1,
    fc.record({ do: fc.constant("set clock" as const), offsetMs: fc.constantFrom(null, 0, 0, -3_600_000, 3_600_000) }),
  ),
  weighted(
    1,
    fc.record({
      do: fc.constant("condition" as const),
      jammed: fc.nat(4).map((n) => n === 0),
      failedChargerPercent: fc.constantFrom(null, null, null, 12),
    }),
  ),
  weighted(1, fc.record({ do: fc.constant("garbage" as const), text: fc.oneof(fc.string(), fc.json()) })),
);

/** Plays one history, watched by the checker; returns how often the robot started moving, and started new firmware. */
function play(steps: readonly Step[]): { moves: number; installed: number } {
  const harness = RobotHarness.connected({ battery: 100 });
  const checker = new RuleChecker(harness);
  const issued: CommandMessage[] = [];
  const offered: FirmwareOfferMessage[] = [];
  for (const next of steps) {
    switch (next.do) {
      case "issue": {
        const command = harness.order(next.verb, next.verb === "START" ? { maxDurationS: next.maxDurationS } : {});
        issued.push(command);
        if (next.arrives && harness.linked) checker.deliver(command, false);
        break;
      }
      case "deliver": {
        const command = issued[issued.length - 1 - (next.pick % Math.max(1, issued.length))];
        if (command !== undefined && harness.linked) checker.deliver(command, next.retained);
        break;
      }
      case "offer": {
        const offer = harness.offer({ version: `3.0.${offered.length}` });
        offered.push(offer);
        if (next.arrives && harness.linked) checker.offer(offer);
        break;
      }
      case "deliver offer":
      case "download": {
        const offer = offered[offered.length - 1 - (next.pick % Math.max(1, offered.length))];
        if (offer === undefined) break;
        if (next.do === "download") checker.downloadEnds(offer, next.isWhole);
        else if (harness.linked) checker.offer(offer);
        break;
      }
      case "pass":
        harness.pass(next.ms);
        break;
      case "disconnect":
        harness.disconnect();
        break;
      case "connect":
        harness.connect();
        break;
      case "lose power":
        harness.losePower();
        checker.powerLost();
        break;
      case "set clock":
        harness.clockOffsetMs = next.offsetMs;
        break;
      case "condition":
        harness.setConditions({ jammed: next.jammed, failedChargerPercent: next.failedChargerPercent });
        break;
      case "garbage":
        if (harness.linked) harness.deliverText(next.text);
        break;
    }
    checker.settle();
    // The host restarts the robot when the new firmware requires it.
    if (harness.takeRestart()) {
      harness.losePower();
      checker.powerLost();
      harness.connect();
      checker.settle();
    }
  }
  return { moves: harness.moves.length, installed: checker.installed };
}

it(
  `protocol rules 1, 3, 4, 5, 6, 8, 10, 12 and 13 hold in ${HISTORIES} random histories of orders, offers, faults and power loss`,
  () => {
    let moves = 0;
    let installed = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 120, size: "max" }), (steps) => {
        const played = play(steps);
        moves += played.moves;
        installed += played.installed;
      }),
      { numRuns: HISTORIES },
    );
    // Histories in which nothing ever moves would prove nothing.
    expect(moves).toBeGreaterThan(HISTORIES / 2);
    expect(installed).toBeGreaterThan(HISTORIES / 20);
  },
  PATIENCE_MS,
);
