import { eventSchemas, type EventType, eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import { settledText } from "@suncrew/domain/events/webhook-texts.ts";
import { z } from "zod";
import { endText, type RecordedEnd } from "../runs/public.ts";

/** An event as the database noted it. */
export interface NotedEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly site_id: number | null;
  readonly site_name: string | null;
  readonly robot_id: number | null;
  readonly robot_name: string | null;
  readonly serial_number: string | null;
  /** The row that it is about, as JSON of PostgreSQL. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of a run: who stopped it, as far as it is known. */
  readonly stopped_by: string | null;
}

const PART_OF_KIND = {
  alert: "alert",
  run: "run",
  command: "command",
  robot: "connection",
  firmware: "firmware",
  maintenance: "lock",
} as const;
type Kind = keyof typeof PART_OF_KIND;
const kindOf = (type: EventType): Kind => z.enum(Object.keys(PART_OF_KIND) as [Kind]).parse(type.split(".")[0]);

/**
 * The body of the calls that tell an event: made once, so that each try and each webhook gets the same bytes. Throws for
 * a type of a newer version.
 */
export function payloadOf(event: NotedEvent): string {
  const type = eventTypeSchema.parse(event.type);
  const noted = Object.fromEntries(Object.entries(event.data).map(([name, value]) => [name, inUtc(name, value)]));
  return JSON.stringify(
    eventSchemas[type].parse({
      type,
      timestamp: event.at.toISOString(),
      data: {
        site: event.site_id === null ? null : { id: event.site_id, name: event.site_name ?? "" },
        robot:
          event.robot_id === null
            ? null
            : { id: event.robot_id, name: event.robot_name ?? "", serial_number: event.serial_number ?? "" },
        [PART_OF_KIND[kindOf(type)]]: completed(kindOf(type), noted, event),
      },
    }),
  );
}

/** PostgreSQL writes instants with the offset of its session. */
function inUtc(name: string, value: unknown): unknown {
  return typeof value === "string" && /(?:_at)$/.test(name) ? new Date(value).toISOString() : value;
}

/** With the sentences that no row has. */
function completed(kind: Kind, noted: Record<string, unknown>, event: NotedEvent): object {
  if (kind === "command") return { ...noted, text: textOfCommand(noted, event.serial_number ?? "") };
  if (kind === "run") return { ...noted, ...reasonOfRun(noted, event.stopped_by) };
  return noted;
}

const settledSchema = eventSchemas["command.settled"].shape.data.shape.command.pick({
  verb: true,
  outcome: true,
  code: true,
});

function textOfCommand(noted: object, serial: string): string {
  const { verb, outcome, code } = settledSchema.parse(noted);
  return settledText(verb, outcome, serial, code);
}

const endSchema = eventSchemas["run.ended"].shape.data.shape.run.pick({ outcome: true, planned: true, reason: true });

/** A run that moved has a code of the device protocol, one that did not has a sentence. */
function reasonOfRun(noted: object, stoppedBy: string | null): object {
  const end: RecordedEnd = { ...endSchema.parse(noted), stoppedBy };
  const text = endText(end);
  return text === null ? {} : { reason_code: text.code, reason: text.text };
}
