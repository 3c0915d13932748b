import { Box, Button, Skeleton, UnstyledButton } from "@mantine/core";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";
import {
  type FleetFigure,
  fleetFigureOf,
  type FleetFigures,
  fleetFiguresOf,
  type FleetRobot,
} from "@suncrew/domain/robots/fleet-figures.ts";
import { IconMap, IconMapOff, IconMapPin, IconSolarPanel } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useFirstContent } from "../../platform/first-content.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useServerConfig } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { ALERTS_CLOSED, AlertsDialog, alertsUrl, useAlertsUrl } from "../alerts/public.ts";
import { AttentionPanel } from "../attention/public.ts";
import { TodayFigures } from "../runs/public.ts";
import { MapPanel, orderSites, searchSites, SiteButtons, useFavourites } from "../sites/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./dashboard-page.module.css";
import { type DashboardUrl, dashboardUrl, useDashboardUrl } from "./dashboard-url.ts";
import { FLEET_FIGURES, fleetFigureLook } from "./fleet-looks.ts";
import { SiteDetail } from "./site-detail.tsx";
import { useUrlParams } from "../../platform/url-params.tsx";
import { writeUrl } from "../../platform/url-state.ts";

/** The fleet figures above the Site monitoring view (§2). */
export function DashboardPage() {
  // The server's mode decides what a failed status call shows.
  useServerConfig();
  const query = useQuery(routeQuery(siteDetails, {}));
  const { state: url, isMapShown, change } = useDashboardUrl();
  const alerts = useAlertsUrl();
  useFirstContent(query.isError || query.data?.length === 0);
  const show = useShow();

  /** The selected site is one with such a robot, if there is any. */
  const chooseFigure = (figure: FleetFigure | null) => {
    const siteIds = figure === null ? null : siteIdsOf(figure);
    const isFitting = siteIds === null || url.siteId === null || siteIds.has(url.siteId);
    const first = isFitting ? undefined : query.data?.find(({ id }) => siteIds.has(id));
    change(first === undefined ? { figure } : { figure, siteId: first.id }, "replace");
  };

  const toggle = (
    <Button
      variant="default"
      size="sm"
      leftSection={isMapShown ? <IconMapOff size={16} aria-hidden /> : <IconMap size={16} aria-hidden />}
      onClick={() => change({ isMapShown: !isMapShown }, "replace")}
    >
      {isMapShown ? "Hide Map" : "Show Map"}
    </Button>
  );
  return (
    <PageLayout title="Dashboard" titleHidden>
      <div className={classes["top"]}>
        <FleetStrip chosen={url.figure} onChoose={chooseFigure} />
        {toggle}
      </div>
      <AttentionPanel
        onOpen={({ site_id: siteId, day }) => show(siteId, day === null ? { tab: "robots" } : { tab: "calendar", day })}
        onShowAlerts={() => alerts.change({ isOpen: true }, "push")}
      />
      <AlertsDialog onSelect={({ site_id: siteId }) => show(siteId, { tab: "robots" })} />
      <QueryState
        query={query}
        loading={<DashboardSkeleton isMapShown={isMapShown} />}
        failed="The sites could not be loaded."
      >
        {(data) => (data.length === 0 ? <NoSites /> : <Monitoring sites={data} />)}
      </QueryState>
    </PageLayout>
  );
}

function NoSites() {
  const { role } = useSignedIn();
  const message =
    role === "PARTNER"
      ? "No site is assigned to you yet. A Super Admin assigns sites to partners."
      : "Sites will be shown here as soon as there are any.";
  return <EmptyState title="No sites yet" message={message} icon={<IconSolarPanel size={36} stroke={1.5} />} />;
}

/** §2 Site monitoring view. */
function Monitoring({ sites }: { readonly sites: readonly Site[] }) {
  const { state: url, isMapShown, isSiteUnreadable, change } = useDashboardUrl();
  const { figure, tab } = url;
  const figureSiteIds = useFigureSites(figure);
  const [search, setSearch] = useSearchDraft(url.search, change);
  const counted = useMemo(
    () => (figureSiteIds === null ? sites : sites.filter((site) => figureSiteIds.has(site.id))),
    [sites, figureSiteIds],
  );
  const favourites = useFavourites().ids;
  const found = useMemo(
    () => orderSites(searchSites(counted, search), url.siteOrder, favourites),
    [counted, search, url.siteOrder, favourites],
  );

  const isNamed = url.siteId !== null || isSiteUnreadable;
  // §2: the first site loaded is auto-selected; the URL names one only once somebody chooses.
  const selected = isNamed ? sites.find((site) => site.id === url.siteId) : (counted[0] ?? sites[0]);
  const selectedId = selected?.id ?? null;
  useFirstContent(selectedId === null);
  const choice = {
    found,
    selectedId,
    search,
    onSelect: (siteId: number) => change({ siteId }, siteId === selectedId ? "replace" : "push"),
    onSearch: setSearch,
    isWorstFirst: url.siteOrder === "worst",
    onWorstFirst: (isOn: boolean) => change({ siteOrder: isOn ? "worst" : "listed" }, "replace"),
  };
  const detail = (
    <section className={`${shared["card"]} ${shared["sheet"]}`} aria-label="Site details">
      {selected === undefined ? (
        <EmptyState title="Select a site to view details" icon={<IconMapPin size={32} stroke={1.5} />} />
      ) : (
        <SiteDetail
          key={selected.id}
          site={selected}
          tab={tab}
          day={url.day}
          figure={figure}
          onTab={(next) => change({ tab: next }, "replace")}
          onDay={(step) => change((now) => ({ day: step(now.day) }), "push")}
          onShowAll={() => change({ figure: null }, "replace")}
        />
      )}
    </section>
  );
  // The detail keeps its place, and so its dialogs and calls, when the map is shown or hidden.
  return (
    <div className={classes[isMapShown ? "split" : "single"]}>
      {isMapShown ? (
        <div className={classes["map"]}>
          <MapPanel sites={sites} {...choice} />
        </div>
      ) : (
        <SiteButtons {...choice} />
      )}
      {detail}
    </div>
  );
}

/** The page's layout until the sites are loaded, so that nothing jumps. */
export function DashboardSkeleton({ isMapShown }: { isMapShown: boolean }) {
  const detail = (
    <div className={`${shared["card"]} ${shared["sheet"]}`}>
      <SkeletonLines label="Loading sites" lines={6} lineHeightPx={56} />
    </div>
  );
  if (!isMapShown) {
    return (
      <div className={classes["single"]}>
        <Skeleton height={150} radius="md" />
        {detail}
      </div>
    );
  }
  return (
    <div className={classes["split"]}>
      <div className={classes["map"]}>
        <Skeleton height="100%" radius="md" />
      </div>
      {detail}
    </div>
  );
}

interface FleetStripProps {
  readonly chosen: FleetFigure | null;
  /** Null removes the filter. */
  readonly onChoose: (figure: FleetFigure | null) => void;
}

/** The fleet figures; pressing one shows only its robots and their sites, pressing it again all. */
function FleetStrip({ chosen, onChoose }: FleetStripProps) {
  const figures = useLiveValue(fleetFiguresNow, isSameFigures);
  return (
    <div className={classes["strip"]} role="group" aria-label="Fleet figures">
      {FLEET_FIGURES.filter((figure) => isShown(figure, figures, chosen)).map((figure) => {
        const look = fleetFigureLook[figure];
        return (
          <UnstyledButton
            key={figure}
            className={`${shared["card"]} ${shared["inset"]} ${classes["figure"]}`}
            aria-pressed={chosen === figure}
            onClick={() => onChoose(chosen === figure ? null : figure)}
          >
            <StatusIcon look={look} size={20} />
            {figures === null ? (
              <Skeleton width={20} height={18} />
            ) : (
              <Box component="span" miw="1ch" fz={18} fw={650}>
                {figures[figure]}
              </Box>
            )}{" "}
            <Box component="span" fz={13} style={{ whiteSpace: "nowrap" }}>
              {look.label}
            </Box>
          </UnstyledButton>
        );
      })}
      <TodayFigures />
    </div>
  );
}

/** Robots that may be moving unseen are the exception: their figure appears only when there are any, in first place. */
function isShown(figure: FleetFigure, figures: FleetFigures | null, chosen: FleetFigure | null): boolean {
  return figure !== "mayBeMoving" || chosen === figure || (figures?.mayBeMoving ?? 0) > 0;
}

function fleetRobotOf(robot: RobotLive): FleetRobot {
  return {
    status: robot.status,
    operatingMode: robot.operating_mode,
    motion: knownMotionOf(robot.motion, robot.lost_while_moving),
    online: robot.online,
  };
}

/** The sites that currently have a robot of the figure. */
function siteIdsOf(figure: FleetFigure): ReadonlySet<number> {
  const matching = [...liveStore.robots()].filter((robot) => fleetFigureOf(fleetRobotOf(robot)) === figure);
  return new Set(matching.map((robot) => robot.site_id));
}

/** Figures over every robot the user may see; null before the first live snapshot. */
function fleetFiguresNow(): FleetFigures | null {
  if (!liveStore.hasSnapshot()) return null;
  return fleetFiguresOf(fleetRobots());
}

function* fleetRobots(): Iterable<FleetRobot> {
  for (const robot of liveStore.robots()) yield fleetRobotOf(robot);
}

function isSameFigures(one: FleetFigures | null, other: FleetFigures | null): boolean {
  if (one === null || other === null) return one === other;
  return FLEET_FIGURES.every((figure) => one[figure] === other[figure]);
}

/** The sites that have a robot of the chosen figure; null if none is chosen, or before the first live snapshot. */
function useFigureSites(figure: FleetFigure | null): ReadonlySet<number> | null {
  const read = useCallback(() => (figure === null || !liveStore.hasSnapshot() ? null : siteIdsOf(figure)), [figure]);
  return useLiveValue(read, isSameSet);
}

function isSameSet(one: ReadonlySet<number> | null, other: ReadonlySet<number> | null): boolean {
  if (one === null || other === null) return one === other;
  return one.size === other.size && [...one].every((id) => other.has(id));
}

/** Shows the robots or a week of a site, in one step that Back undoes. */
function useShow() {
  const [, change] = useUrlParams();
  return useCallback(
    (siteId: number | null, place: Pick<DashboardUrl, "tab"> & Partial<Pick<DashboardUrl, "day">>) => {
      if (siteId === null) return;
      const site = { siteId, figure: null, ...place };
      change((now) => writeUrl(alertsUrl, writeUrl(dashboardUrl, now, site), ALERTS_CLOSED), "push");
    },
    [change],
  );
}
