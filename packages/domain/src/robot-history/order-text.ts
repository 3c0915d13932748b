import type { CommandParams } from "@suncrew/contract/devices/messages.ts";
import { directionWord } from "../activity/activity-words.ts";

/** A change of settings or mode that was asked of a robot, as stored. */
export interface StoredOrder {
  readonly params: Partial<CommandParams>;
  /** Null while it is open. */
  readonly outcome: "CONFIRMED" | "REJECTED" | "UNCONFIRMED" | "NEVER_SENT" | null;
  /** The robot's own word for why it rejected it. */
  readonly ackCode: string | null;
}

/** "Main motor 60 %, Reverse. Confirmed by the robot." */
export function orderText({ params, outcome, ackCode }: StoredOrder): string {
  const { direction, "main-speed": main, "brush-speed": brush } = params;
  const wanted = [
    ...(main === undefined ? [] : [`Main motor ${main} %`]),
    ...(brush === undefined ? [] : [`Brush motor ${brush} %`]),
    ...(direction === undefined ? [] : [directionWord[direction]]),
  ];
  const result = resultText(outcome, ackCode);
  return wanted.length === 0 ? result : `${wanted.join(", ")}. ${result}`;
}

function resultText(outcome: StoredOrder["outcome"], ackCode: string | null): string {
  switch (outcome) {
    case null:
      return "Waiting for the robot.";
    case "CONFIRMED":
      return "Confirmed by the robot.";
    case "REJECTED":
      return ackCode === null ? "Refused by the robot." : `Refused by the robot (${ackCode}).`;
    case "UNCONFIRMED":
      return "Not confirmed by the robot in time.";
    case "NEVER_SENT":
      return "Never sent.";
  }
}
