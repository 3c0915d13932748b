import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { config } from "@suncrew/contract/config/config.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type CleaningDirection,
  robotDetailsWithSettings,
  type RobotLive,
  updateRobotSettings,
} from "@suncrew/contract/robots/robots.ts";
import { directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { mapDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import { callSlots, PreemptedError } from "../../platform/api/call-slots.ts";
import { call, type Sent } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { ApiError, isUninformative, NotSentError, serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { liveUpdate } from "../../platform/live/live-store.ts";
import { liveStore, readScope, scopeRead } from "../../platform/live/live.ts";
import type { ServerConfig } from "../../platform/server-config.ts";
import { onSessionChange } from "../../platform/session/session.ts";
import { toast } from "../../platform/toast.tsx";
import { sendRobotCommand, type StartOrStop } from "../commands/public.ts";
import { mockReading, overlayHolds, RobotStatusStore } from "./robot-local-state.ts";
import { robotStatusLook } from "./robot-meaning.ts";
import type { RobotView } from "./robot-view.ts";

interface Unreached {
  readonly serialNumber: string;
  readonly error: unknown;
}

function isDemo(): boolean {
  return queryClient.getQueryData<ServerConfig>(queryKeyOf(config, {}))?.mode === "demo";
}

/** Says that robots did not answer: the demo that it simulates them, production that they are away. */
function tellUnreached([first, ...others]: readonly Unreached[], unasked: boolean): void {
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more ${others.length === 1 ? "robot" : "robots"}`;
  const named = `${first.serialNumber}${more}`;
  if (isDemo()) {
    toast.failure({ title: "Using Mock Data", message: `API call failed, using simulated data for ${named}`, unasked });
    return;
  }
  toast.failure({
    title: more === "" ? "Robot Not Reached" : "Robots Not Reached",
    message: `Robot ${named} could not be reached.`,
    // Each has its own.
    reason: more === "" ? serverReason(first.error) : undefined,
    unasked,
  });
}

/**
 * Robots that polling does not reach. The first is told at once, all others together when no poll is under way any more:
 * a site of which nothing answers is one matter, not one for each robot.
 */
class PollRound {
  #polls = 0;
  #hasTold = false;
  #waiting: Unreached[] = [];

  begin(): void {
    this.#polls += 1;
  }

  failed(unreached: Unreached): void {
    if (this.#hasTold) this.#waiting.push(unreached);
    else tellUnreached([unreached], true);
    this.#hasTold = true;
  }

  end(): void {
    this.#polls -= 1;
    if (this.#polls > 0) return;
    tellUnreached(this.#waiting, true);
    this.forget();
  }

  /** Another user must not be told. */
  forget(): void {
    this.#hasTold = false;
    this.#waiting = [];
  }
}

const pollRound = new PollRound();

export const robotStatusStore = new RobotStatusStore();
/** The verb that a robot was last told here, so that a START taken over by a STOP no longer speaks for it. */
const lastPress = new Map<number, object>();
/** The status call of each robot that is under way. */
const asking = new Map<number, AbortController>();

onSessionChange(() => {
  robotStatusStore.clear();
  asking.clear();
  lastPress.clear();
  pollRound.forget();
});

interface StatusAsk {
  readonly robotId: number;
  readonly serialNumber: string;
  /** Aborted when another site is selected. */
  readonly signal: AbortSignal;
  /** A person pressed Refresh: the result is told in a toast. */
  readonly isManual: boolean;
}

/**
 * Asks one robot for its status (§7 getRobotStatus) and notes what came of it; never throws. A press while the robot is
 * being polled ends the poll, whose answer nobody would be told; one while a press is being answered adds nothing.
 */
export async function askRobotStatus({ robotId, serialNumber, isManual, ...ask }: StatusAsk): Promise<void> {
  if (robotStatusStore.notes(robotId).calls.refresh === "pressed") return;
  asking.get(robotId)?.abort();
  const own = new AbortController();
  const signal = AbortSignal.any([ask.signal, own.signal]);
  asking.set(robotId, own);
  robotStatusStore.updateCalls(robotId, { refresh: isManual ? "pressed" : "polled" });
  const seen = liveStore.robot(robotId) ?? null;
  if (!isManual) pollRound.begin();
  try {
    const { data } = await callSlots.run({
      kind: isManual ? "status" : "poll",
      robotIds: [robotId],
      signal,
      send: async (sending) => {
        // A robot that may just have gone is not asked by itself: its site's list comes first.
        if (!isManual) await scopeRead();
        sending.throwIfAborted();
        robotStatusStore.update(robotId, { lastQueriedAt: new Date() });
        // §7: very long timeout, cancellable.
        return call(robotStatus, { query: { robotId: serialNumber } }, { signal: sending, timeoutMs: null });
      },
    });
    if (isOtherMachine(robotId, serialNumber)) return;
    const status = mapDeviceStatus(data.status);
    const direction = data.direction === "REV" ? "REVERSE" : "FORWARD";
    robotStatusStore.update(robotId, {
      overlay: {
        kind: "answered",
        status,
        motion: data.motion,
        batteryPercent: data.battery,
        direction,
        at: new Date(data.timestamp),
        seen,
      },
    });
    if (!isManual) return;
    toast.success({
      title: "Robot Refreshed",
      message: `Robot ${serialNumber}: ${robotStatusLook[status].label}, battery ${Math.round(data.battery)} %, direction ${directionWord[direction]}`,
    });
  } catch (error) {
    if (signal.aborted || error instanceof TokenExpiredError || error instanceof PreemptedError) return;
    // Not there any more, which is no failure to reach it: it leaves the page with the list.
    if (error instanceof ApiError && error.status === 404) {
      await readScope();
      if (signal.aborted || !isListed(robotId, serialNumber)) return;
    }
    if (isOtherMachine(robotId, serialNumber)) return;
    if (!isUninformative(error)) noteUnanswered(robotId, serialNumber, isManual, error);
    else if (isManual) {
      toast.failure({
        title: "Status Not Refreshed",
        message: `The last known status of Robot ${serialNumber} is shown.`,
        reason: serverReason(error) ?? "The server could not be reached.",
      });
    }
  } finally {
    if (asking.get(robotId) === own) {
      asking.delete(robotId);
      robotStatusStore.updateCalls(robotId, { refresh: null });
    }
    if (!isManual) pollRound.end();
  }
}

function isListed(robotId: number, serialNumber: string): boolean {
  return queryClient
    .getQueriesData<ResponseOf<typeof robotDetailsWithSettings>>({ queryKey: queryKeyOf(robotDetailsWithSettings) })
    .some(
      ([, list]) =>
        list?.robots.some((robot) => robot.robot_id === robotId && robot.serial_number === serialNumber) === true,
    );
}

/** The robot was given another serial number while the machine that it was before was asked: the answer is not its own. */
function isOtherMachine(robotId: number, serialNumber: string): boolean {
  const told = liveStore.robot(robotId)?.serial_number;
  return told !== undefined && told !== serialNumber;
}

/** A status call that failed on the server: offline; the demo shows simulated values and says so, production says that it is away. */
function noteUnanswered(robotId: number, serialNumber: string, isManual: boolean, error: unknown): void {
  const live = liveStore.robot(robotId) ?? null;
  const { overlay } = robotStatusStore.notes(robotId);
  const before = overlay?.kind === "unreached" && overlayHolds(overlay, live, new Date()) ? overlay : null;
  robotStatusStore.update(robotId, {
    overlay: {
      kind: "unreached",
      byStatusCall: true,
      mock: isDemo() ? (before?.mock ?? mockReading(Math.random)) : null,
      lastReportAt: live?.last_updated_at ?? null,
    },
  });
  // At the first failure since the robot was last reached, and at each manual refresh.
  if (isManual) tellUnreached([{ serialNumber, error }], false);
  else if (before?.byStatusCall !== true) pollRound.failed({ serialNumber, error });
}

/**
 * §4 Commands: these robots showed the server what was commanded. `before` tells a robot as the stream told it when the
 * button was pressed. What is computed of many robots hears of all of them at once, and before the caller goes on.
 */
export function noteCommandsDone(
  robotIds: readonly number[],
  verb: StartOrStop,
  before: (robotId: number) => RobotLive | null,
): void {
  const at = new Date();
  for (const id of robotIds) {
    const seen = liveStore.robot(id) ?? null;
    robotStatusStore.update(id, { overlay: { kind: "commanded", verb, at, before: before(id), seen } });
  }
  robotStatusStore.tellAll();
}

/** Sends START or STOP and notes what it makes of the status (§4 Commands); never throws. */
export async function commandRobot(robot: RobotView, command: StartOrStop): Promise<void> {
  const press = {};
  const before = liveStore.robot(robot.id) ?? null;
  lastPress.set(robot.id, press);
  robotStatusStore.updateCalls(robot.id, { sending: command });
  const outcome = await sendRobotCommand(robot, command);
  if (lastPress.get(robot.id) !== press) return;
  lastPress.delete(robot.id);
  if (outcome === "done") noteCommandsDone([robot.id], command, () => before);
  if (outcome === "failed") {
    const lastReportAt = liveStore.robot(robot.id)?.last_updated_at ?? null;
    robotStatusStore.update(robot.id, {
      overlay: { kind: "unreached", byStatusCall: false, mock: null, lastReportAt },
    });
  }
  // Last, so that Stop is possible all the time: while it is sent, and by what came of it.
  robotStatusStore.updateCalls(robot.id, { sending: null });
}

/**
 * The server answers success once the robot confirmed, so the values are true from now on; the stream may tell them
 * a moment later, or not at all while it is lost.
 */
function noteConfirmed(robotId: number, change: Partial<RobotLive>): void {
  const told = liveStore.robot(robotId);
  if (told === undefined) return;
  liveStore.apply([liveUpdate({ at: new Date().toISOString(), robots: [{ ...told, ...change }] })]);
}

/** Settings wait for the robot's confirmation, so they take a slot and leave the way free for a Stop. */
async function sendSettings(robot: RobotView, body: Sent<typeof updateRobotSettings>["body"]): Promise<void> {
  await callSlots.run({
    kind: "set",
    robotIds: [robot.id],
    send: (signal) => call(updateRobotSettings, { params: { robotId: robot.id }, body }, { signal }),
  });
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof NotSentError ? error.message : serverReason(error);
}

/** Turns the cleaning direction (§7 updateRobotSettings, the direction alone); true where the robot confirmed. */
export async function changeDirection(robot: RobotView, direction: CleaningDirection): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { cleaning_direction: direction }),
    onDone: () => noteConfirmed(robot.id, { cleaning_direction: direction }),
    success: { title: "Direction Updated", message: `Robot direction changed to ${directionWord[direction]}.` },
    failure: {
      title: "Direction Update Failed",
      message: "Failed to update robot direction. Please try again.",
    },
    reasonOf,
  });
  return outcome.kind === "done";
}

/** Both speeds in percent, 0 to 100. */
interface MotorSpeeds {
  readonly main: number;
  readonly brush: number;
}

/** Changes both motor speeds; true where the robot confirmed them. The call takes them as text (§7). */
export async function changeSpeeds(robot: RobotView, { main, brush }: MotorSpeeds): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { main_motor_speed: String(main), brush_motor_speed: String(brush) }),
    onDone: () => noteConfirmed(robot.id, { main_motor_speed: main, brush_motor_speed: brush }),
    success: { title: "Settings Updated", message: `Settings for Robot ${robot.serialNumber} have been updated.` },
    failure: {
      title: "Settings Update Failed",
      message: "Failed to update robot settings. Please try again.",
    },
    reasonOf,
  });
  return outcome.kind === "done";
}
