import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandHarness } from "../../../test/command-harness.ts";
import { parseMetrics, valueOf } from "../../../test/metrics-text.ts";
import { ScheduleHarness } from "../../../test/schedule-harness.ts";
import { readFleetFigures } from "./fleet-figures.repository.ts";

/** In place of the test runner's own limit of one second. */
const PATIENCE = { timeout: 30_000 };
const TOKEN = "a-token-that-only-tests-have";

describe("open to other programs: /metrics while robots work", () => {
  let harness: CommandHarness;
  beforeEach(async () => {
    harness = await CommandHarness.open({ settings: { metricsToken: TOKEN } });
    await harness.live();
  });
  afterEach(() => harness.close());

  async function read() {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await harness.server.app.http.inject({ url: "/metrics", headers });
    const samples = parseMetrics(answer.body);
    return (name: string, labels: Record<string, string> = {}) => valueOf(samples, `suncrew_${name}`, labels);
  }

  /**
   * The figures once one command of this kind is counted: the press is answered when the row is stored, before that.
   */
  const settled = (verb: "START" | "STOP") =>
    vi.waitFor(async () => {
      const figures = await read();
      expect(figures("commands_settled_total", { verb, outcome: "CONFIRMED" })).toBe(1);
      return figures;
    }, PATIENCE);

  test("a START and a STOP show in the robots that move, the commands by outcome, and the messages", async () => {
    const before = await read();
    expect([before("bridge"), before("broker_connected"), before("robots_moving")]).toEqual([16, 1, 0]);
    expect(before("robots_online")).toBeGreaterThanOrEqual(1);
    expect(before("commands_settled_total", { verb: "START", outcome: "CONFIRMED" })).toBeNull();
    await harness.press("START");
    const moving = await settled("START");
    expect(moving("robots_moving")).toBe(1);
    expect(moving("device_messages_total", { leaf: "state" })).toBeGreaterThan(
      before("device_messages_total", { leaf: "state" }) ?? 0,
    );
    expect(moving("device_messages_total", { leaf: "ack" })).toBeGreaterThan(0);
    await harness.press("STOP");
    const stopped = await settled("STOP");
    expect([stopped("robots_moving"), stopped("stops_pending")]).toEqual([0, 0]);
  });
});

describe("open to other programs: /metrics and schedules", () => {
  let harness: ScheduleHarness;
  afterEach(() => harness.close());

  test("a schedule that no server serves is reported with its age; once served, with how late it was, here a second", async () => {
    harness = await ScheduleHarness.open(new Date("2026-06-15T00:29:00Z"));
    await harness.schedule(await harness.group(1), { startTime: "2026-06-15 06:00:00" });
    const figuresAfter = (minutes: number) =>
      readFleetFigures(harness.db, new Date(Date.UTC(2026, 5, 15, 0, 29 + minutes)));
    expect(await figuresAfter(0)).toMatchObject({ schedulesDue: 0, oldestDueMs: 0 });
    expect(await figuresAfter(3)).toMatchObject({ schedulesDue: 1, oldestDueMs: 120_000 });
    await harness.until(new Date("2026-06-15T00:30:01Z"));
    expect(harness.servedLateMs).toEqual([1_000]);
    expect(await figuresAfter(3)).toMatchObject({ schedulesDue: 0, oldestDueMs: 0 });
  });
});
