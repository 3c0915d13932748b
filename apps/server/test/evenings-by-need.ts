import { createSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { randomUUID } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { placeText, surfaceText } from "../src/features/weather/conditions.ts";
import { storeAirDays, storeWeatherDays } from "../src/features/weather/site-hours.repository.ts";
import type { Clock } from "../src/platform/clock.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { Tables } from "../src/platform/database/tables.ts";
import type { TestRobot } from "./fixtures.ts";
import type { Answer } from "./test-client.ts";

const DAY_MS = 86_400_000;
/** Days since the last run where a schedule "when worth it" is planned. */
const DAYS_SINCE_RUN = 5;

/** What decides an evening: the days, what a cleaning is worth, or that nobody knows that. */
const EVENINGS = {
  "most days": { least_days: 1, most_days: DAYS_SINCE_RUN, cleaning_price: null },
  "worth it": { least_days: 1, most_days: 14, cleaning_price: 1 },
  "not yet": { least_days: 1, most_days: 14, cleaning_price: 1_000_000 },
  "least days": { least_days: DAYS_SINCE_RUN + 1, most_days: 14, cleaning_price: 1 },
  unknown: { least_days: 1, most_days: 14, cleaning_price: null },
} as const;
export type Evening = keyof typeof EVENINGS;

/** A START that a schedule ordered, with when its run was due. */
interface PlannedStart {
  readonly id: string;
  readonly dueMs: number;
  readonly issued_at: Date;
}

/** The evenings of a site's schedules "when worth it": what is known of them, and whether what was decided holds. */
export class EveningsByNeed {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #siteId: number;
  /** Of every schedule, also of others, of which a START cannot be told. */
  readonly #plans: { readonly scheduleId: number; readonly dueMs: number; readonly isByNeed: boolean }[] = [];
  readonly #startIds = new Set<string>();

  private constructor(db: Db, clock: Clock, siteId: number) {
    this.#db = db;
    this.#clock = clock;
    this.#siteId = siteId;
  }

  /** Its energy is worth something, and each of its robots has run. */
  static async of(db: Db, clock: Clock, siteId: number, robots: readonly TestRobot[]): Promise<EveningsByNeed> {
    const plant = { dc_capacity_kwp: 1_000, tilt_degrees: 20, azimuth_degrees: 180, performance_ratio_percent: 80 };
    const facts = { ...plant, tariff_per_kwh: 3, currency: "INR" };
    await db.updateTable("sites").set(facts).where("id", "=", siteId).execute();
    const ended_at = clock.now();
    const ran = { began_at: new Date(ended_at.getTime() - 3_600_000), ended_at, outcome: "COMPLETED" } as const;
    for (const { id: robot_id } of robots) {
      await db
        .insertInto("runs")
        .values({ id: randomUUID(), site_id: siteId, robot_id, started_by: "Anita Rao", ...ran })
        .execute();
    }
    return new EveningsByNeed(db, clock, siteId);
  }

  /** Weather of the days before and of those ahead, received now, each hour with these gusts and with dust in the air. */
  async storeWeather(gustKmh: number): Promise<void> {
    const [siteId, at] = [this.#siteId, this.#clock.now()];
    const site = await this.#db.selectFrom("sites").selectAll().where("id", "=", siteId).executeTakeFirstOrThrow();
    const days = Array.from({ length: DAYS_SINCE_RUN + 6 }, (_, nth) =>
      new Date(at.getTime() + (nth - DAYS_SINCE_RUN - 2) * DAY_MS).toISOString().slice(0, 10),
    );
    const hours = (value: number) => Array.from({ length: 24 }, () => value);
    const air = { pm2_5: hours(60), pm10: hours(150) };
    const weather = {
      rain_mm: hours(0),
      gust_kmh: hours(gustKmh),
      temperature_c: hours(30),
      irradiance_w_m2: hours(300),
    };
    const received = { siteId, source: "sample", place: placeText(site), at } as const;
    const onPanels = { ...received, surface: surfaceText(site), archived: false };
    await this.#db.transaction().execute(async (tx) => {
      // What was received before is not what is checked.
      await tx.deleteFrom("site_weather_days").where("site_id", "=", siteId).execute();
      await storeWeatherDays(
        tx,
        onPanels,
        days.map((day) => ({ day, ...weather })),
      );
      await storeAirDays(
        tx,
        received,
        days.map((day) => ({ day, ...air })),
      );
    });
  }

  /** What a schedule needs that is decided like this: what has ended today was some days ago, and a cleaning has its price. */
  async prepare(evening: Evening): Promise<{ frequency: "WHEN_WORTH_IT"; least_days: number; most_days: number }> {
    const { cleaning_price, ...days } = EVENINGS[evening];
    const price = { cleaning_price, cleaning_price_per: cleaning_price === null ? null : ("run" as const) };
    await this.#db.updateTable("sites").set(price).where("id", "=", this.#siteId).execute();
    const earlier = (column: "began_at" | "ended_at") =>
      sql<Date>`${sql.ref(column)} - ${DAYS_SINCE_RUN} * interval '1 day'`;
    await this.#db
      .updateTable("runs")
      .set({ began_at: earlier("began_at"), ended_at: earlier("ended_at") })
      .where("site_id", "=", this.#siteId)
      .where("ended_at", "is not", null)
      .where("began_at", ">", new Date(this.#clock.now().getTime() - DAY_MS))
      .execute();
    return { frequency: "WHEN_WORTH_IT", ...days };
  }

  /** Takes down a schedule that was planned. */
  planned(answer: Answer, isByNeed: boolean): void {
    if (answer.status !== 201) return;
    const { scheduleId, schedule } = createSchedule.response.parse(answer.body);
    if (schedule.next_run_at !== null) {
      this.#plans.push({ scheduleId, dueMs: Date.parse(schedule.next_run_at), isByNeed });
    }
  }

  decisions(): Promise<Selectable<Tables["schedule_decisions"]>[]> {
    return this.#db.selectFrom("schedule_decisions").selectAll().execute();
  }

  /**
   * What breaks the rules of cleaning by need: nothing starts unless it was decided before, once for all servers, and what was
   * decided against is over at once. `minutes` is how long the runs take.
   */
  async findBroken(starts: readonly PlannedStart[], minutes: number, toleranceMs: number): Promise<unknown[]> {
    const decisions = await this.decisions();
    const standing = await this.#db
      .selectFrom("schedules")
      .select("id")
      .where("frequency", "=", "WHEN_WORTH_IT")
      .execute();
    const holds = await this.#db
      .selectFrom("audit")
      .select(["entity_id as scheduleId", "at", sql<string | null>`after ->> 'due_at'`.as("dueAt")])
      .where("action", "=", "HOLD_SCHEDULED_RUN")
      .execute();
    const broken: unknown[] = [];
    for (const { scheduleId, dueMs, isByNeed } of this.#plans) {
      const isAlone = this.#plans.every((other) => other.scheduleId === scheduleId || other.dueMs !== dueMs);
      if (!isByNeed || !isAlone || dueMs > this.#clock.now().getTime()) continue;
      const [decision, ...others] = decisions.filter(
        ({ schedule_id: id, due_at: at, voided_at: voidedAt }) =>
          id === scheduleId && at.getTime() === dueMs && voidedAt === null,
      );
      const isUndecided = decision === undefined && standing.some(({ id }) => id === scheduleId);
      const started = starts.filter((start) => start.dueMs === dueMs);
      for (const { id } of started) this.#startIds.add(id);
      const earliestMs = decision?.runs === true ? decision.decided_at.getTime() - toleranceMs : Infinity;
      const undecided = started.filter(({ issued_at: at }) => at.getTime() < earliestMs);
      // One that was decided in time is not kept until the run would be over.
      const late = holds.filter(
        (hold) =>
          hold.scheduleId === String(scheduleId) &&
          hold.dueAt === new Date(dueMs).toISOString() &&
          decision !== undefined &&
          decision.decided_at.getTime() < dueMs &&
          hold.at.getTime() >= dueMs + minutes * 60_000,
      );
      if (isUndecided || others.length > 0 || undecided.length > 0 || late.length > 0) {
        broken.push({ scheduleId, due: new Date(dueMs), isUndecided, decision, others, undecided, late });
      }
    }
    return broken;
  }

  /** "3 RUNS_WORTH_IT, 2 NOT_YET, 4 starts" */
  async text(): Promise<string> {
    const byCode = Map.groupBy(await this.decisions(), ({ reason_code: code }) => code);
    return [...[...byCode].map(([code, { length }]) => `${length} ${code}`), `${this.#startIds.size} starts`].join(
      ", ",
    );
  }
}
