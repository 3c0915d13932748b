import type { CommandMessage } from "@suncrew/contract/devices/messages.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Examiner } from "../../test/examiner.ts";
import { LINK_LOSS_MS, RobotBench } from "../../test/robot-bench.ts";

const HISTORIES = 2_000;
/** Seconds on a busy machine, in milliseconds. */
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
  | { do: "pass"; ms: number }
  | { do: "disconnect" | "connect" | "lose power" }
  | { do: "set clock"; offsetMs: number | null }
  | { do: "condition"; jammed: boolean; batteryHeldAt: number | null }
  | { do: "garbage"; text: string };

function weighted(weight: number, arbitrary: fc.Arbitrary<Step>): fc.WeightedArbitrary<Step> {
  return { weight, arbitrary };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    8,
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
      batteryHeldAt: fc.constantFrom(null, null, null, 12),
    }),
  ),
  weighted(1, fc.record({ do: fc.constant("garbage" as const), text: fc.oneof(fc.string(), fc.json()) })),
);

/** Plays one history under the eyes of the examiner; answers how often the robot began to move. */
function play(steps: readonly Step[]): number {
  const bench = RobotBench.connected({ battery: 100 });
  const examiner = new Examiner(bench);
  const issued: CommandMessage[] = [];
  for (const next of steps) {
    switch (next.do) {
      case "issue": {
        const command = bench.order(next.verb, next.verb === "START" ? { maxDurationS: next.maxDurationS } : {});
        issued.push(command);
        if (next.arrives && bench.linked) examiner.deliver(command, false);
        break;
      }
      case "deliver": {
        const command = issued[issued.length - 1 - (next.pick % Math.max(1, issued.length))];
        if (command !== undefined && bench.linked) examiner.deliver(command, next.retained);
        break;
      }
      case "pass":
        bench.pass(next.ms);
        break;
      case "disconnect":
        bench.disconnect();
        break;
      case "connect":
        bench.connect();
        break;
      case "lose power":
        bench.losePower();
        examiner.powerLost();
        break;
      case "set clock":
        bench.clockOffsetMs = next.offsetMs;
        break;
      case "condition":
        bench.become({ jammed: next.jammed, batteryHeldAt: next.batteryHeldAt });
        break;
      case "garbage":
        if (bench.linked) bench.deliverText(next.text);
        break;
    }
    examiner.settle();
  }
  return bench.moves.length;
}

it(
  `protocol rules 1, 3, 4, 5, 6, 8, 10 and 12 hold in ${HISTORIES} random histories of orders, faults and power loss`,
  () => {
    let moves = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 120, size: "max" }), (steps) => {
        moves += play(steps);
      }),
      { numRuns: HISTORIES },
    );
    // Histories in which nothing ever moves would prove nothing.
    expect(moves).toBeGreaterThan(HISTORIES / 2);
  },
  PATIENCE_MS,
);
