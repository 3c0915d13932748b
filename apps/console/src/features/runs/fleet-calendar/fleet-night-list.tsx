import { Button, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "../../../ui/empty-state.tsx";
import type { Look } from "../../../ui/look.ts";
import { StatusIcon } from "../../../ui/status-icon.tsx";
import { VirtualList } from "../../../ui/virtual-list.tsx";
import { entryLook } from "../runs-looks.ts";
import shared from "../../../ui/shared.module.css";
import classes from "./fleet-calendar.module.css";
import { type CalendarRow, nightText, phoneRank, type SiteNight } from "./fleet-nights.ts";

const ROW_PX = 64;

const noRun: Look = { label: "No run", tone: "plain" };

interface FleetNightListProps {
  readonly rows: readonly CalendarRow[];
  /** Whoever searches for a site sees it, even if nothing is planned there. */
  readonly isSearched: boolean;
  readonly isOld: boolean;
  readonly onOpen: (siteId: number, night: string) => void;
}

interface NightRow {
  readonly site: CalendarRow["site"];
  readonly night: SiteNight;
}

/** One night on a phone: the sites with something to tell, trouble first; the others on request. */
export function FleetNightList({ rows, isSearched, isOld, onOpen }: FleetNightListProps) {
  const [isAllShown, setAllShown] = useState(false);
  const all = rows
    .flatMap(({ site, nights: [night] }): readonly NightRow[] => (night === undefined ? [] : [{ site, night }]))
    .toSorted((one, other) => phoneRank(one.night) - phoneRank(other.night));
  const busy = all.filter(({ night }) => night.state !== null);
  const quietCount = all.length - busy.length;
  const shown = isAllShown || isSearched ? all : busy;
  const isPast = all.every(({ night }) => night.when === "past");
  return (
    <>
      {shown.length === 0 ? (
        <EmptyState
          title={isPast ? "No runs that night." : "No runs are planned."}
          {...(!isPast && { message: "Choose a site to plan one." })}
        />
      ) : (
        <div style={{ "--content": `${shown.length * ROW_PX + 2}px` }}>
          <VirtualList
            label="Sites of this night"
            items={shown}
            keyOf={({ site }) => site.id}
            rowPx={ROW_PX}
            className={`${shared["card"]} ${shared["inset"]} ${classes["list"]}`}
            rowClassName={undefined}
            isOld={isOld}
          >
            {({ site, night }) => (
              <UnstyledButton
                className={`${shared["inset"]} ${classes["line"]}`}
                aria-haspopup="dialog"
                onClick={() => onOpen(site.id, night.date)}
              >
                <StatusIcon look={night.state === null ? noRun : entryLook[night.state]} size={18} />
                <span className={classes["words"]}>
                  <span className={classes["first"]}>
                    <strong className={shared["truncate"]}>{site.name}</strong>
                    {night.state !== null && (
                      <span className={classes["state"]} data-tone={entryLook[night.state].tone}>
                        {entryLook[night.state].label}
                      </span>
                    )}
                  </span>
                  <span className={`${shared["muted"]} ${shared["truncate"]}`}>
                    {night.state === null && night.when !== "past" ? "Plan a run" : nightText(night)}
                  </span>
                </span>
                <IconChevronRight size={16} aria-hidden />
              </UnstyledButton>
            )}
          </VirtualList>
        </div>
      )}
      {quietCount > 0 && !isSearched && (
        <Button variant="default" size="sm" h={44} onClick={() => setAllShown(!isAllShown)}>
          {isAllShown
            ? "Only sites with a run"
            : `Show ${quietCount.toLocaleString("en-GB")} ${quietCount === 1 ? "site" : "sites"} without a run`}
        </Button>
      )}
    </>
  );
}
