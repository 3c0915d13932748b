import { type EventMessage, eventMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/commands/limits.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { reportedTime } from "@suncrew/domain/devices/reported-time.ts";
import { sql } from "kysely";
import { changedNow, type Tx } from "../../platform/database/database.ts";

/** An event that is on record, told for the first time. */
export interface AlertEvent {
  readonly robotId: number;
  readonly siteId: number;
  readonly message: EventMessage;
  readonly clockSkewMs: number | null;
}

type Raised = Extract<EventMessage, { kind: "ALERT_RAISED" }>;
type Cleared = Extract<EventMessage, { kind: "ALERT_CLEARED" }>;

/**
 * Which alerts hold is told by the newest state alone. What a robot raised and cleared while nobody heard its states is
 * known from its events only: it is put on record with both its times, unless the alert was on record in between. Answers
 * the robots whose alerts changed.
 */
export async function recordToldAlerts(
  tx: Tx,
  told: readonly AlertEvent[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
  const changed = new Set<number>();
  const ofAlerts = told.flatMap((event) => {
    const code = codeOf(event.message);
    return code === null ? [] : [{ ...event, code }];
  });
  if (ofAlerts.length === 0) return changed;
  for (const pair of await pairsOf(tx, ofAlerts)) {
    const event = ofAlerts.find(({ robotId }) => robotId === pair.robotId);
    if (event === undefined || !budget.has(pair.robotId, "alerts")) continue;
    const { clockSkewMs, siteId } = event;
    const at = ({ message, receivedAt }: PairEnd<Raised | Cleared>) =>
      reportedTime({ at: new Date(message.at), receivedAt, clockSkewMs });
    const [raisedAt, clearedAt] = [at(pair.raised), at(pair.cleared)];
    const { alert } = pair.raised.message;
    if (!(await addPast(tx, { robotId: pair.robotId, siteId, alert, raisedAt, clearedAt }))) continue;
    budget.take(pair.robotId, "alerts");
    changed.add(pair.robotId);
  }
  return changed;
}

function codeOf(message: EventMessage): string | null {
  if (message.kind === "ALERT_RAISED") return message.alert.code;
  return message.kind === "ALERT_CLEARED" ? message.code : null;
}

interface PairEnd<M extends Raised | Cleared> {
  readonly message: M;
  readonly receivedAt: Date;
}
interface Pair {
  readonly robotId: number;
  readonly raised: PairEnd<Raised>;
  readonly cleared: PairEnd<Cleared>;
}

/** Each clearing that is new, or comes after a raising that is new, with the last raising before it. */
async function pairsOf(tx: Tx, told: readonly (AlertEvent & { readonly code: string })[]): Promise<Pair[]> {
  const { rows } = await sql<{
    robot_id: number;
    raised: unknown;
    raised_received_at: Date;
    cleared: unknown;
    cleared_received_at: Date;
  }>`
    with told as (
      select * from unnest(${told.map(({ robotId }) => robotId)}::int[], ${told.map(({ code }) => code)}::text[],
        ${told.map(({ message }) => message.eventSeq)}::bigint[]) n (robot_id, code, event_seq)
    ), ended as (
      select distinct t.robot_id, t.code, c.event_seq, c.body, c.received_at
      from told t cross join lateral (
        select e.event_seq, e.body, e.received_at from robot_events e
        where e.robot_id = t.robot_id and e.event_seq >= t.event_seq and e.kind = 'ALERT_CLEARED'
          and e.body ->> 'code' = t.code
        order by e.event_seq limit 1) c
    )
    select c.robot_id, r.body as raised, r.received_at as raised_received_at, c.body as cleared,
      c.received_at as cleared_received_at
    from ended c cross join lateral (
      select e.body, e.received_at from robot_events e
      where e.robot_id = c.robot_id and e.event_seq < c.event_seq and e.kind = 'ALERT_RAISED'
        and e.body -> 'alert' ->> 'code' = c.code
      order by e.event_seq desc limit 1) r
    order by c.robot_id, c.event_seq`.execute(tx);
  return rows.flatMap((row) => {
    const [raised, cleared] = [eventMessageSchema.parse(row.raised), eventMessageSchema.parse(row.cleared)];
    if (raised.kind !== "ALERT_RAISED" || cleared.kind !== "ALERT_CLEARED") return [];
    return {
      robotId: row.robot_id,
      raised: { message: raised, receivedAt: row.raised_received_at },
      cleared: { message: cleared, receivedAt: row.cleared_received_at },
    };
  });
}

interface PastAlert {
  readonly robotId: number;
  readonly siteId: number;
  readonly alert: Raised["alert"];
  readonly raisedAt: Date;
  readonly clearedAt: Date;
}

/** False where the alert was on record then already; the two clocks may differ by as much as is allowed (rule 12). */
async function addPast(tx: Tx, { robotId, siteId, alert, raisedAt, clearedAt }: PastAlert): Promise<boolean> {
  const until = clearedAt > raisedAt ? clearedAt : raisedAt;
  const { code, severity, text } = alert;
  const added = await sql`
    insert into alerts (robot_id, site_id, source, code, severity, text, raised_at, cleared_at, change_no)
    select ${robotId}::int, ${siteId}::int, 'ROBOT', ${code}, ${severity}, ${text}, ${raisedAt}::timestamptz,
      ${until}::timestamptz, ${changedNow}
    where not exists (select from alerts a
      where a.robot_id = ${robotId} and a.source = 'ROBOT' and a.code = ${code}
        and a.raised_at <= ${new Date(until.getTime() + CLOCK_SKEW_MS)}::timestamptz
        and (a.cleared_at is null or a.cleared_at >= ${new Date(raisedAt.getTime() - CLOCK_SKEW_MS)}::timestamptz))`.execute(
    tx,
  );
  return (added.numAffectedRows ?? 0n) > 0n;
}
