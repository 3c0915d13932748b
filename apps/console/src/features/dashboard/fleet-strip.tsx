import { Skeleton, UnstyledButton } from "@mantine/core";
import type { FleetFigure, FleetFigures } from "@suncrew/domain/sites/site-status.ts";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { TodayFigures } from "../runs/public.ts";
import { FLEET_FIGURES, fleetFigureLook } from "./fleet-meaning.ts";
import classes from "./fleet-strip.module.css";

export interface FleetStripProps {
  /** Null before the first live snapshot. */
  readonly figures: FleetFigures | null;
  readonly chosen: FleetFigure | null;
  /** Null takes the filter off. */
  readonly onChoose: (figure: FleetFigure | null) => void;
}

/** The strip of fleet figures; pressing one shows only its robots and their sites, pressing it again all. */
export function FleetStrip({ figures, chosen, onChoose }: FleetStripProps) {
  return (
    <div className={classes["strip"]} role="group" aria-label="Fleet figures">
      {FLEET_FIGURES.filter((figure) => isShown(figure, figures, chosen)).map((figure) => {
        const look = fleetFigureLook[figure];
        return (
          <UnstyledButton
            key={figure}
            className={classes["figure"]}
            aria-pressed={chosen === figure}
            onClick={() => onChoose(chosen === figure ? null : figure)}
          >
            <StatusIcon look={look} size={20} />
            {figures === null ? (
              <Skeleton width={20} height={18} />
            ) : (
              <span className={classes["count"]}>{figures[figure]}</span>
            )}{" "}
            <span className={classes["label"]}>{look.label}</span>
          </UnstyledButton>
        );
      })}
      <TodayFigures />
    </div>
  );
}

/** Robots that may be moving unseen are the exception: their figure comes with them, and is the first. */
function isShown(figure: FleetFigure, figures: FleetFigures | null, chosen: FleetFigure | null): boolean {
  return figure !== "mayBeMoving" || chosen === figure || (figures?.mayBeMoving ?? 0) > 0;
}
