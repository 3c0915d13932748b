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
import { liveStore, readScope, scopeRead } from "../../platform/live/live.ts";
import type { ServerConfig } from "../../platform/server-config.ts";
import { onSessionChange } from "../../platform/session/session.ts";
import { isShortcut } from "../../platform/shortcuts.ts";
import { toast } from "../../platform/toast.tsx";
import { type CommandTarget, type ConfirmedRobot, sendRobotCommand, type StartOrStop } from "../commands/public.ts";
import { robotStatusLook } from "./robot-looks.ts";
import {
  confirmedCommand,
  confirmedSettings,
  directionOf,
  mockReading,
  type RobotView,
  statusReading,
} from "./robot-view.ts";

interface Unreachable {
  readonly serialNumber: string;
  readonly error: unknown;
}

function isDemo(): boolean {
  return queryClient.getQueryData<ServerConfig>(queryKeyOf(config, {}))?.mode === "demo";
}

/**
 * Reports robots that did not respond: in the demo that their values are simulated, in production that they are
 * unreachable.
 */
function showUnreachable([first, ...others]: readonly Unreachable[], isAutomatic: boolean): void {
  if (first === undefined) return;
  const more =
    others.length === 0
      ? ""
      : ` and ${others.length.toLocaleString("en-GB")} more ${others.length === 1 ? "robot" : "robots"}`;
  const named = `${first.serialNumber}${more}`;
  if (isDemo()) {
    toast.failure({
      title: "Using Mock Data",
      message: `API call failed, using simulated data for ${named}`,
      isAutomatic,
    });
    return;
  }
  toast.failure({
    title: more === "" ? "Robot Not Reached" : "Robots Not Reached",
    message: `Robot ${named} could not be reached.`,
    // Several robots have several reasons.
    reason: more === "" ? serverReason(first.error) : undefined,
    isAutomatic,
  });
}

/**
 * Robots that polling does not reach. The first is reported at once, all others together when the last poll has ended:
 * a site that is down gives two toasts, not one per robot.
 */
class PollRound {
  #polls = 0;
  #hasReported = false;
  #waiting: Unreachable[] = [];

  begin(): void {
    this.#polls += 1;
  }

  failed(robot: Unreachable): void {
    if (this.#hasReported) this.#waiting.push(robot);
    else showUnreachable([robot], true);
    this.#hasReported = true;
  }

  end(): void {
    this.#polls -= 1;
    if (this.#polls > 0) return;
    showUnreachable(this.#waiting, true);
    this.reset();
  }

  /** Another user must not see the toasts. */
  reset(): void {
    this.#hasReported = false;
    this.#waiting = [];
  }
}

const pollRound = new PollRound();

/** The last press for each robot, so that a START superseded by a STOP no longer sets its state. */
const lastPress = new Map<number, object>();
/** Each robot's status call in flight. */
const statusCalls = new Map<number, AbortController>();

onSessionChange(() => {
  liveStore.forgetCalls();
  statusCalls.clear();
  lastPress.clear();
  pollRound.reset();
});

interface StatusRequest {
  readonly robotId: number;
  readonly serialNumber: string;
  /** Aborted when another site is selected. */
  readonly signal: AbortSignal;
  /** A person pressed Refresh: the result is shown in a toast. */
  readonly isManual: boolean;
}

/**
 * Requests one robot's status (§7 getRobotStatus) and stores the result; never throws. A press aborts a poll in flight,
 * whose result would not be shown; a press while another is unanswered does nothing.
 */
export async function requestRobotStatus({
  robotId,
  serialNumber,
  isManual,
  signal: pageSignal,
}: StatusRequest): Promise<void> {
  const before = liveStore.entry(robotId);
  if (before.refresh === "pressed") return;
  statusCalls.get(robotId)?.abort();
  const own = new AbortController();
  const signal = AbortSignal.any([pageSignal, own.signal]);
  statusCalls.set(robotId, own);
  liveStore.update(robotId, { refresh: isManual ? "pressed" : "polled" });
  if (!isManual) pollRound.begin();
  try {
    const response = await callSlots.run({
      kind: isManual ? "status" : "poll",
      robotIds: [robotId],
      signal,
      send: async (sending) => {
        // A robot that may just have been deleted is not polled: its site's list is read first.
        if (!isManual) await scopeRead();
        sending.throwIfAborted();
        liveStore.update(robotId, { lastQueriedAt: new Date() });
        // §7: very long timeout, cancellable.
        return call(robotStatus, { query: { robotId: serialNumber } }, { signal: sending, timeoutMs: null });
      },
    });
    if (isOtherMachine(robotId, serialNumber)) return;
    const { answers, streamed } = liveStore.entry(robotId);
    // A command that was confirmed since is newer than a reading that had begun before.
    const isSuperseded = answers.some((answer) => !before.answers.includes(answer));
    // Without a position, whatever the stream has said since may be newer.
    const isOvertaken = response.live_position === undefined && streamed !== before.streamed;
    if (isSuperseded || isOvertaken) liveStore.update(robotId, { unreachable: null });
    else liveStore.answer(robotId, statusReading(response));
    if (!isManual) return;
    const { data } = response;
    const { label } = robotStatusLook[mapDeviceStatus(data.status)];
    toast.success({
      title: "Robot Refreshed",
      message: `Robot ${serialNumber}: ${label}, battery ${Math.round(data.battery)} %, direction ${directionWord[directionOf(data)]}`,
    });
  } catch (error) {
    if (signal.aborted || error instanceof TokenExpiredError || error instanceof PreemptedError) return;
    // Deleted, which is no failure to reach it: it leaves the page with the list.
    if (error instanceof ApiError && error.status === 404) {
      await readScope();
      if (signal.aborted || !isListed(robotId, serialNumber)) return;
    }
    if (isOtherMachine(robotId, serialNumber)) return;
    if (!isUninformative(error)) recordUnreachable(robotId, serialNumber, isManual, error);
    else if (isManual) {
      toast.failure({
        title: "Status Not Refreshed",
        message: `The last known status of Robot ${serialNumber} is shown.`,
        reason: serverReason(error) ?? "The server could not be reached.",
      });
    }
  } finally {
    if (statusCalls.get(robotId) === own) {
      statusCalls.delete(robotId);
      liveStore.update(robotId, { refresh: null });
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

/** The robot got another serial number during the call: the response is that of its former machine. */
function isOtherMachine(robotId: number, serialNumber: string): boolean {
  const current = liveStore.robot(robotId)?.serial_number;
  return current !== undefined && current !== serialNumber;
}

/**
 * A status call that failed on the server: the robot is offline; the demo shows simulated values. Both say so in a
 * toast.
 */
function recordUnreachable(robotId: number, serialNumber: string, isManual: boolean, error: unknown): void {
  const { unreachable: previous, streamed } = liveStore.entry(robotId);
  liveStore.update(robotId, {
    unreachable: {
      byStatusCall: true,
      mock: isDemo() ? (previous?.mock ?? mockReading(Math.random)) : null,
      lastReportAt: streamed?.last_updated_at ?? null,
    },
  });
  // At the first failure since the robot last responded, and at each manual refresh.
  if (isManual) showUnreachable([{ serialNumber, error }], false);
  else if (previous?.byStatusCall !== true) pollRound.failed({ serialNumber, error });
}

/**
 * §4 Commands: these robots have confirmed the command to the server. Figures over many robots are updated once for
 * all, before this returns.
 */
export function showConfirmedCommands(robots: readonly ConfirmedRobot[], verb: StartOrStop): void {
  const at = new Date();
  for (const { robotId, position } of robots) liveStore.answer(robotId, confirmedCommand(verb, position, at));
  liveStore.flush();
}

/** Sends START or STOP and sets the status by its outcome (§4 Commands); never throws. */
export async function commandRobot(robot: CommandTarget, command: StartOrStop): Promise<void> {
  const press = {};
  lastPress.set(robot.id, press);
  liveStore.update(robot.id, { sending: command });
  const outcome = await sendRobotCommand(robot, command);
  if (lastPress.get(robot.id) !== press) return;
  lastPress.delete(robot.id);
  if (outcome.kind === "done") showConfirmedCommands([{ robotId: robot.id, position: outcome.position }], command);
  if (outcome.kind === "failed") {
    const lastReportAt = liveStore.entry(robot.id).streamed?.last_updated_at ?? null;
    liveStore.update(robot.id, { unreachable: { byStatusCall: false, mock: null, lastReportAt } });
  }
  // Last, so that Stop stays enabled throughout: first because a START is being sent, then because of its outcome.
  liveStore.update(robot.id, { sending: null });
}

/**
 * For the element that shows a robot: S pressed within it stops that robot at once. Nothing that this browser knows
 * about the robot forbids it, as with Stop all robots.
 */
export function stopKeyOf(robot: CommandTarget) {
  return { onKeyDown: ({ nativeEvent }: { readonly nativeEvent: KeyboardEvent }) => stopByKey(nativeEvent, robot) };
}

export function stopByKey(event: KeyboardEvent, robot: CommandTarget): void {
  if (!isShortcut(event, "stopRobot")) return;
  event.preventDefault();
  void commandRobot(robot, "STOP");
}

/** The server reports success once the robot has confirmed, so the values hold from now on. */
function showSettings(robotId: number, settings: Partial<RobotLive>, position: string | undefined): void {
  if (liveStore.robot(robotId) === undefined) return;
  liveStore.answer(robotId, confirmedSettings(settings, position ?? null));
}

/** Settings wait for the robot's confirmation, so they take a call slot, which a Stop preempts. */
function sendSettings(
  robot: RobotView,
  body: Sent<typeof updateRobotSettings>["body"],
): Promise<ResponseOf<typeof updateRobotSettings>> {
  return callSlots.run({
    kind: "set",
    robotIds: [robot.id],
    send: (signal) => call(updateRobotSettings, { params: { robotId: robot.id }, body }, { signal }),
  });
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof NotSentError ? error.message : serverReason(error);
}

/** Reverses the cleaning direction (§7 updateRobotSettings, only the direction); true once the robot has confirmed. */
export async function changeDirection(robot: RobotView, direction: CleaningDirection): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { cleaning_direction: direction }),
    onDone: ({ live_position }) => showSettings(robot.id, { cleaning_direction: direction }, live_position),
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

/** Changes both motor speeds; true once the robot has confirmed them. The call takes them as text (§7). */
export async function changeSpeeds(robot: RobotView, { main, brush }: MotorSpeeds): Promise<boolean> {
  const outcome = await change({
    send: () => sendSettings(robot, { main_motor_speed: String(main), brush_motor_speed: String(brush) }),
    onDone: ({ live_position }) =>
      showSettings(robot.id, { main_motor_speed: main, brush_motor_speed: brush }, live_position),
    success: { title: "Settings Updated", message: `Settings for Robot ${robot.serialNumber} have been updated.` },
    failure: {
      title: "Settings Update Failed",
      message: "Failed to update robot settings. Please try again.",
    },
    reasonOf,
  });
  return outcome.kind === "done";
}
