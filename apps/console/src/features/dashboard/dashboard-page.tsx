import { Button } from "@mantine/core";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import type { FleetFigure } from "@suncrew/domain/sites/site-status.ts";
import { IconMap, IconMapOff, IconMapPin, IconSolarPanel } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useServerConfig } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { AlertsDialog, AlertsStrip, useAlertsUrl } from "../alerts/public.ts";
import { MapPanel, searchSites, SiteButtons } from "../sites/public.ts";
import classes from "./dashboard-page.module.css";
import { DashboardSkeleton } from "./dashboard-skeleton.tsx";
import { FleetStrip } from "./fleet-strip.tsx";
import { SiteDetail } from "./site-detail.tsx";
import { useAlertSubject, useDashboardUrl } from "./dashboard-url.ts";
import { siteIdsOf, useFleet } from "./use-fleet.ts";
import { QueryState } from "../../platform/query-state.tsx";

/** The strip of fleet figures over the Site monitoring view (§2). */
export function DashboardPage() {
  // Which mode the server runs in decides what a failed status call shows.
  useServerConfig();
  const query = useQuery(routeQuery(siteDetails, {}));
  const { state: url, isMapShown, change } = useDashboardUrl();
  const fleet = useFleet(url.figure);
  const alerts = useAlertsUrl();
  const showSubject = useAlertSubject();

  /** The site that is shown has such a robot, where any has. */
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
        <FleetStrip figures={fleet.figures} chosen={url.figure} onChoose={chooseFigure} />
        {toggle}
      </div>
      <AlertsStrip onShowAll={() => alerts.change({ isOpen: true }, "push")} onSelect={showSubject} />
      <AlertsDialog onSelect={showSubject} />
      <QueryState
        query={query}
        loading={<DashboardSkeleton isMapShown={isMapShown} />}
        failed="The sites could not be loaded."
      >
        {(data) => (data.length === 0 ? <NoSites /> : <Monitoring sites={data} figureSiteIds={fleet.siteIds} />)}
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

interface MonitoringProps {
  readonly sites: readonly Site[];
  readonly figureSiteIds: ReadonlySet<number> | null;
}

/** §2 Site monitoring view. */
function Monitoring({ sites, figureSiteIds }: MonitoringProps) {
  const { state: url, isMapShown, isSiteUnreadable, change } = useDashboardUrl();
  const { figure, tab } = url;
  const writeSearch = useCallback((words: string) => change({ search: words }, "replace"), [change]);
  const [search, setSearch] = useSearchDraft(url.search, writeSearch);
  const counted = useMemo(
    () => (figureSiteIds === null ? sites : sites.filter((site) => figureSiteIds.has(site.id))),
    [sites, figureSiteIds],
  );
  const found = useMemo(() => searchSites(counted, search), [counted, search]);

  const isNamed = url.siteId !== null || isSiteUnreadable;
  // §2: the first site loaded is auto-selected; the address names it only once somebody chooses.
  const selected = isNamed ? sites.find((site) => site.id === url.siteId) : (counted[0] ?? sites[0]);
  const selectedId = selected?.id ?? null;
  const choice = {
    found,
    selectedId,
    search,
    onSelect: (siteId: number) => change({ siteId }, siteId === selectedId ? "replace" : "push"),
    onSearch: setSearch,
  };
  const detail = (
    <section className={classes["detail"]} aria-label="Site details">
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
