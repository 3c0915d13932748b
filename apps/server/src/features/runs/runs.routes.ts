import {
  RUNS_DEFAULT_LIMIT,
  runsCalendar,
  runsFleetCalendar,
  runsList,
  runsNight,
  runsOfToday,
  runsToday,
} from "@suncrew/contract/runs/runs.ts";
import type { FastifyInstance } from "fastify";
import { register, SerializedAnswer, versionOf } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { KeyedMutex } from "../../platform/keyed-mutex.ts";
import { scopeOf } from "../../platform/sessions.ts";
import { readFleetCalendar, readNight } from "./fleet-calendar.queries.ts";
import {
  countTodaysRuns,
  readCalendar,
  readTodaysRuns,
  readRuns,
  requireFilterInScope,
  type RunFilter,
} from "./runs.queries.ts";

export function runsRoutes(app: FastifyInstance, { db, clock }: Dependencies): void {
  register(app, runsList, async ({ viewer, query }) => {
    const limit = query.limit ?? RUNS_DEFAULT_LIMIT;
    const choice: RunFilter = {
      siteId: query.site_id,
      robotId: query.robot_id,
      from: instant(query.from),
      to: instant(query.to),
      cursor: query.cursor,
      limit: limit + 1,
    };
    await requireFilterInScope(viewer, db, choice);
    const found = await readRuns(viewer, db, choice);
    const page = found.slice(0, limit);
    return {
      runs: page.map(({ run }) => run),
      next_cursor: found.length > limit ? (page.at(-1)?.cursor ?? null) : null,
    };
  });

  register(app, runsToday, ({ viewer }) => countTodaysRuns(viewer, db, clock.now()));

  register(app, runsOfToday, async ({ viewer, query }) => ({
    runs: await readTodaysRuns(viewer, db, query.count, clock.now()),
  }));

  register(app, runsCalendar, ({ viewer, params, query }) =>
    readCalendar(viewer, db, params.siteId, { day: query.day, now: clock.now() }),
  );

  // An expensive answer: one of a scope is worked out at a time, and those who wait for the same share it.
  const calendars = new KeyedMutex();
  register(app, runsFleetCalendar, ({ viewer, query: { from, days } }) => {
    const scope = scopeOf(viewer);
    const work = async () => {
      const json = await readFleetCalendar(viewer, db, { from, days, now: clock.now() });
      return new SerializedAnswer(runsFleetCalendar, json, versionOf(json));
    };
    return calendars.runShared(`${scope} ${from} ${days}`, () => calendars.run(scope, work));
  });

  register(app, runsNight, ({ viewer, params, query }) => readNight(viewer, db, params.siteId, query.date));
}

function instant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
