import type { NightState } from "@suncrew/contract/robot-history/nights.ts";
import { IconMinus } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { runLook } from "./runs-looks.ts";

const noRun: Look = { label: "No run", tone: "plain", icon: IconMinus };

/** A night of a robot: as its best run, if it had one. */
export function nightLook(state: NightState): Look {
  return state === "NONE" ? noRun : runLook(state === "RUNNING" ? null : state);
}
