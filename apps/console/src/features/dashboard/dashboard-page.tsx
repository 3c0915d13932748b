import { Box, Button, Skeleton } from "@mantine/core";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { FleetFigure, FleetFigures } from "@suncrew/domain/robots/fleet-figures.ts";
import { IconMap, IconMapOff, IconMapPin, IconSolarPanel } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { Link, NavigationType, useNavigationType } from "react-router";
import { useFirstContent } from "../../platform/first-content.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
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
import { FIGURE_NAMES, FLEET_FIGURES, fleetFigureLook, fleetFiguresOf } from "../fleet/public.ts";
import { TodayFigures } from "../runs/public.ts";
import { MapPanel, orderSites, searchSites, SiteButtons, useFavourites } from "../sites/public.ts";
import { EnergyAtRisk } from "../soiling/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./dashboard-page.module.css";
import { type DashboardUrl, dashboardUrl, useDashboardUrl } from "./dashboard-url.ts";
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
  const show = useShow(url.siteId);

  const toggle = (
    <Button
      variant="default"
      size="sm"
      leftSection={isMapShown ? <IconMapOff size={16} aria-hidden /> : <IconMap size={16} aria-hidden />}
      onClick={() => change({ isMapShown: !isMapShown }, "replace")}
    >
      <span className={classes["mapWords"]}>{isMapShown ? "Hide Map" : "Show Map"}</span>
    </Button>
  );
  return (
    <PageLayout title="Dashboard" titleHidden>
      <div className={classes["top"]}>
        <FleetStrip />
        {toggle}
      </div>
      <div className={classes["attention"]}>
        <AttentionPanel
          onOpen={({ site_id: siteId, code, day }) =>
            show(
              siteId,
              code === "SITE_SOILED" ? { tab: "soiling" } : day === null ? { tab: "robots" } : { tab: "calendar", day },
            )
          }
          onShowAlerts={() => alerts.change({ isOpen: true }, "push")}
        />
      </div>
      {query.data?.length !== 0 && <EnergyAtRisk />}
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
  const isPartner = useSignedIn().role === "PARTNER";
  return (
    <EmptyState
      title="No sites yet"
      message={
        isPartner
          ? "No site is assigned to you yet. A Super Admin assigns sites to partners."
          : "Sites will be shown here as soon as there are any."
      }
      icon={<IconSolarPanel size={36} stroke={1.5} />}
      action={
        !isPartner && (
          <Button component={Link} to={paths.sites({ dialog: "add-site" })} size="xs" variant="default">
            New site
          </Button>
        )
      }
    />
  );
}

/** §2 Site monitoring view. */
function Monitoring({ sites }: { readonly sites: readonly Site[] }) {
  const { state: url, isMapShown, isSiteUnreadable, change } = useDashboardUrl();
  const [search, setSearch] = useSearchDraft(url.search, change);
  const favourites = useFavourites().ids;
  const found = useMemo(
    () => orderSites(searchSites(sites, search), url.siteOrder, favourites),
    [sites, search, url.siteOrder, favourites],
  );

  const isNamed = url.siteId !== null || isSiteUnreadable;
  // §2: the first site loaded is auto-selected; the URL names one only once somebody chooses.
  const selected = isNamed ? sites.find((site) => site.id === url.siteId) : sites[0];
  const selectedId = selected?.id ?? null;
  useFirstContent(selectedId === null);
  useScrollToChosen(url.siteId);
  const choose = (siteId: number) => {
    if (siteId === url.siteId) scrollToSite();
    else change({ siteId }, siteId === selectedId ? "replace" : "push");
  };
  const choice = {
    found,
    selectedId,
    search,
    onSelect: choose,
    onSearch: setSearch,
    isWorstFirst: url.siteOrder === "worst",
    onWorstFirst: (isOn: boolean) => change({ siteOrder: isOn ? "worst" : "listed" }, "replace"),
  };
  const detail = (
    <section
      id={DETAIL_ID}
      className={`${shared["card"]} ${shared["sheet"]} ${classes["detail"]}`}
      aria-label="Site details"
    >
      {selected === undefined ? (
        <EmptyState title="Select a site to view details" icon={<IconMapPin size={32} stroke={1.5} />} />
      ) : (
        <SiteDetail
          key={selected.id}
          site={selected}
          tab={url.tab}
          day={url.day}
          onTab={(next) => change({ tab: next }, "replace")}
          onDay={(step) => change((now) => ({ day: step(now.day) }), "push")}
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

const DETAIL_ID = "site-details";

/** Shows the details of a site whenever one is chosen: here, in the command palette, or on another page that led here. */
function useScrollToChosen(siteId: number | null): void {
  const by = useNavigationType();
  const shownId = useRef(by === NavigationType.Push ? null : siteId);
  useEffect(() => {
    // A reload, Back or Forward is no choice.
    if (siteId !== null && siteId !== shownId.current && by !== NavigationType.Pop) scrollToSite();
    shownId.current = siteId;
  }, [siteId, by]);
}

/** Where the details stand below the sites instead of beside them, shows what was just chosen. */
function scrollToSite(): void {
  if (matchMedia("(max-width: 62em)").matches) document.getElementById(DETAIL_ID)?.scrollIntoView();
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

/** The fleet figures; each leads to its robots. */
function FleetStrip() {
  const figures = useLiveValue(fleetFiguresNow, isSameFigures);
  return (
    <div className={classes["strip"]} role="group" aria-label="Fleet figures">
      {FLEET_FIGURES.filter((figure) => isShown(figure, figures)).map((figure) => {
        const look = fleetFigureLook[figure];
        return (
          <Link
            key={figure}
            to={paths.robots({ figure: FIGURE_NAMES[figure] })}
            className={`${shared["card"]} ${shared["inset"]} ${classes["figure"]}`}
          >
            <StatusIcon look={look} size={20} />
            {figures === null ? (
              <Skeleton width={20} height={18} />
            ) : (
              <Box component="span" miw="1ch" fz={18} fw={650}>
                {figures[figure].toLocaleString("en-GB")}
              </Box>
            )}{" "}
            <Box component="span" fz={13} style={{ whiteSpace: "nowrap" }}>
              {look.label}
            </Box>
          </Link>
        );
      })}
      <TodayFigures />
    </div>
  );
}

/** Robots that may be moving unseen are the exception: their figure appears only when there are any, in first place. */
function isShown(figure: FleetFigure, figures: FleetFigures | null): boolean {
  return figure !== "mayBeMoving" || (figures?.mayBeMoving ?? 0) > 0;
}

/** Figures over every robot the user may see; null before the first live snapshot. */
function fleetFiguresNow(): FleetFigures | null {
  return liveStore.hasSnapshot() ? fleetFiguresOf(liveStore.robots()) : null;
}

function isSameFigures(one: FleetFigures | null, other: FleetFigures | null): boolean {
  if (one === null || other === null) return one === other;
  return FLEET_FIGURES.every((figure) => one[figure] === other[figure]);
}

/** Shows the robots or a week of a site, in one step that Back undoes. */
function useShow(shownId: number | null) {
  const [, change] = useUrlParams();
  return useCallback(
    (siteId: number | null, place: Pick<DashboardUrl, "tab"> & Partial<Pick<DashboardUrl, "day">>) => {
      if (siteId === null) return;
      const site = { siteId, ...place };
      change((now) => writeUrl(alertsUrl, writeUrl(dashboardUrl, now, site), ALERTS_CLOSED), "push");
      if (siteId === shownId) scrollToSite();
    },
    [change, shownId],
  );
}
