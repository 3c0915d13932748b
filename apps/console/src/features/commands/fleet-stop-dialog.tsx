import { Box, Button, Group, Text } from "@mantine/core";
import type { RobotResult, SiteStopResult } from "@suncrew/contract/groups/groups.ts";
import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { type ReactNode, useCallback, useMemo } from "react";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { Look } from "../../ui/look.ts";
import shared from "../../ui/shared.module.css";
import { StateBadge } from "../../ui/state-badge.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { pendingLook, robotOutcomeLook, waitingLook } from "./command-looks.ts";
import classes from "./fleet-stop-dialog.module.css";
import { type FleetStopPress, mayMoveNow, stopFleet, stopRobots } from "./fleet-stop.ts";
import lines from "./robot-result-list.module.css";
import { RobotResultList, useCurrentResults } from "./robot-result-list.tsx";

interface FleetStopDialogProps {
  readonly press: FleetStopPress;
  readonly onClose: () => void;
}

const NONE: readonly SiteStopResult[] = [];

/** A fleet stop, site by site: first what the stream shows, then the answer, which names robots that did not stop. */
export function FleetStopDialog({ press, onClose }: FleetStopDialogProps) {
  const { part, moving, outcome } = press;
  const sites = outcome?.sites ?? NONE;
  const stillMoving = useLiveValue(useCallback(() => [...moving.values()].flat().filter(mayMove).length, [moving]));
  const results = useMemo(() => sites.flatMap((site) => site.results), [sites]);
  const current = useCurrentResults(results);
  const left = current.filter((result) => !isStopped(result));
  const rows = outcome === null || outcome.failure !== null ? movingSites(moving) : sites.filter(isWorthNaming);
  const unnamed = sites.length - rows.length;
  const again =
    outcome?.failure === null ? () => stopRobots(left.map((one) => one.robotObjectId)) : () => stopFleet(part);
  return (
    <Dialog onClose={onClose} title={part.title} size="lg">
      <Text size="sm" role="status" fw={600} mb={6}>
        {summaryOf(press, stillMoving, current)}
      </Text>
      {rows.length > 0 && (
        <Box style={{ "--lines": rows.length + 2 * results.length }}>
          <VirtualList
            label="Result for each site"
            items={rows.toSorted(worstFirst)}
            keyOf={({ siteId }) => siteId}
            rowPx={38}
            measured
            className={classes["sites"]}
            rowClassName={classes["site"]}
          >
            {(row) => ("robots" in row ? <StoppedSite site={row} /> : <StoppingSite {...row} />)}
          </VirtualList>
        </Box>
      )}
      {outcome?.failure === null && unnamed > 0 && (
        <Text size="sm" c="dimmed" mt={8}>
          {unnamed === 1 ? "At 1 more site" : `At ${unnamed} more sites`} no robot was moving.
        </Text>
      )}
      <Group justify="flex-end" mt="md" gap="xs">
        {outcome !== null && (outcome.failure !== null || left.length > 0) && (
          <Button color="red" variant="light" onClick={() => void again()}>
            Stop again
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Dialog>
  );
}

function mayMove(robotId: number): boolean {
  const robot = liveStore.robot(robotId);
  return robot !== undefined && mayMoveNow(robot);
}

interface MovingSite {
  readonly siteId: number;
  readonly robotIds: readonly number[];
}

function movingSites(moving: FleetStopPress["moving"]): readonly (MovingSite | SiteStopResult)[] {
  return [...moving].map(([siteId, robotIds]) => ({ siteId, robotIds }));
}

const isStopped = ({ outcome, pending }: RobotResult) => outcome === "SUCCESS" && !pending;

const isWorthNaming = ({ moved, pending, failed }: SiteStopResult) => moved + pending + failed > 0;

/** Where somebody may have to walk comes first. */
function worstFirst(one: MovingSite | SiteStopResult, other: MovingSite | SiteStopResult): number {
  const badness = (row: MovingSite | SiteStopResult) => ("robots" in row ? row.failed * 1_000 + row.results.length : 0);
  return badness(other) - badness(one) || nameOf(one).localeCompare(nameOf(other));
}

function nameOf(row: MovingSite | SiteStopResult): string {
  return "name" in row ? row.name : (liveStore.site(row.siteId)?.name ?? `Site ${row.siteId}`);
}

const number = (count: number) => count.toLocaleString("en-GB");

/** `current` are the answer's robots that had not confirmed: those that have since count as stopped. */
function summaryOf({ moving, outcome }: FleetStopPress, stillMoving: number, current: readonly RobotResult[]): string {
  const movedIds = new Set([...moving.values()].flat());
  const movedCount = movedIds.size;
  if (outcome === null) {
    if (movedCount === 0) return "Stopping every robot...";
    return `Stopping ${robotCountText(movedCount)}... ${number(movedCount - stillMoving)} of ${number(movedCount)} stopped.`;
  }
  if (outcome.failure !== null && outcome.sites.length === 0) return `The Stop could not be sent. ${outcome.failure}`;
  const sum = (of: (site: SiteStopResult) => number) => outcome.sites.reduce((total, site) => total + of(site), 0);
  const since = current.filter(isStopped);
  const moved = sum((site) => site.moved) + since.filter(({ robotObjectId }) => movedIds.has(robotObjectId)).length;
  const stopped = sum((site) => site.stopped) + since.length;
  const pending = sum((site) => site.pending) - since.length;
  const failed = sum((site) => site.failed);
  if (outcome.failure === null && sum((site) => site.robots) === 0) return "There is no robot to stop.";
  const sentences = [
    ...(outcome.failure === null ? [] : [`The Stop could not be sent to every robot. ${outcome.failure}`]),
    ...(moved > 0 ? [`${robotCountText(moved)} stopped.`] : []),
    ...(stopped > moved ? [`${number(stopped - moved)} already stopped.`] : []),
    ...(pending > 0 ? [`${number(pending)} not confirmed: the Stop is sent again until they are.`] : []),
    ...(failed > 0 ? [`${number(failed)} not stopped.`] : []),
  ];
  return sentences.join(" ");
}

interface SiteLineProps {
  readonly name: string;
  readonly look: Look;
  readonly children: ReactNode;
}

function SiteLine({ name, look, children }: SiteLineProps) {
  return (
    <div className={lines["row"]}>
      <span className={shared["name"]}>{name}</span>
      <StateBadge look={look} />
      <span className={lines["message"]}>{children}</span>
    </div>
  );
}

function StoppingSite(site: MovingSite) {
  const { robotIds } = site;
  const still = useLiveValue(useCallback(() => robotIds.filter(mayMove).length, [robotIds]));
  const look: Look = still === 0 ? robotOutcomeLook.SUCCESS : waitingLook;
  return (
    <SiteLine name={nameOf(site)} look={look}>
      {robotIds.length - still} of {robotCountText(robotIds.length)} stopped.
    </SiteLine>
  );
}

function StoppedSite({ site }: { readonly site: SiteStopResult }) {
  const results = useCurrentResults(site.results);
  const isLeft = results.some((result) => !isStopped(result));
  const unconfirmed = site.pending > 0 && results.every((result) => result.pending || isStopped(result));
  const look =
    !isLeft && site.pending <= results.length
      ? robotOutcomeLook.SUCCESS
      : unconfirmed
        ? pendingLook
        : robotOutcomeLook.FAILED;
  const stopped = site.stopped + results.filter(isStopped).length;
  return (
    <>
      <SiteLine name={site.name} look={look}>
        {stopped} of {robotCountText(site.robots)} stopped.
      </SiteLine>
      {site.results.length > 0 && (
        <div className={classes["robots"]}>
          <RobotResultList
            label={`Robots at ${site.name} that did not confirm`}
            results={site.results}
            doneText={() => "Has stopped."}
          />
        </div>
      )}
    </>
  );
}
