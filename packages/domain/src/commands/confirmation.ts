import type { AppliedSettings, CommandVerb, StateMessage } from "@suncrew/contract/devices/messages.ts";

/** The part of a command that decides whether a state shows it (protocol rule 6). */
export interface SentCommand {
  readonly verb: CommandVerb;
  readonly seq: number;
  readonly runId: string | null;
  /** The settings of a SET; only those named must match. */
  readonly settings: Partial<AppliedSettings> | null;
}

export type ReportedState = Pick<StateMessage, "motion" | "mode" | "lastSeq" | "runId" | "applied">;

/** True if a live state of the current session shows that the command has worked. The status text never counts. */
export function stateConfirms(state: ReportedState, command: SentCommand): boolean {
  if (state.lastSeq < command.seq) return false;
  switch (command.verb) {
    case "START":
      return state.motion === "MOVING" && state.runId === command.runId;
    case "STOP":
      return state.motion === "STOPPED";
    case "SET":
      return settingsMatch(state.applied, command.settings ?? {});
    case "MAINTENANCE_ON":
      return state.mode === "MAINTENANCE" && state.motion === "STOPPED";
    case "MAINTENANCE_OFF":
      return state.mode !== "MAINTENANCE";
  }
}

function settingsMatch(applied: AppliedSettings, wanted: Partial<AppliedSettings>): boolean {
  return (
    (wanted.direction === undefined || wanted.direction === applied.direction) &&
    (wanted.mainSpeed === undefined || wanted.mainSpeed === applied.mainSpeed) &&
    (wanted.brushSpeed === undefined || wanted.brushSpeed === applied.brushSpeed)
  );
}
