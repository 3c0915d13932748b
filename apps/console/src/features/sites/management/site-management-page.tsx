import { Button } from "@mantine/core";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconMapPin } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useUrlState } from "../../../platform/url-params.tsx";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { useServerConfig } from "../../../platform/server-config.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { PageLayout } from "../../../ui/page-layout.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { useSearchDraft } from "../../../ui/use-search-draft.ts";
import { FirmwareDialogs } from "../../firmware/public.ts";
import { searchManagedSites } from "../site-search.ts";
import { AllSitesCard } from "./all-sites-card.tsx";
import { ManagedSite } from "./managed-site.tsx";
import { ManagementDialogs } from "./management-dialogs.tsx";
import type { OpenDialog } from "./management-dialogs.tsx";
import { PageActions } from "./page-actions.tsx";
import classes from "./site-management-page.module.css";
import { sitesUrl } from "./sites-url.ts";
import { useDetailInSight } from "./use-detail-in-sight.ts";
import { QueryState } from "../../../platform/query-state.tsx";

/** §2 Site Management page: all sites at the left, the selected site's robots and groups at the right. */
export function SiteManagementPage() {
  // Which mode the server runs in decides what a failed status call shows.
  useServerConfig();
  const query = useQuery(routeQuery(siteDetails, {}));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  // There also while the sites are not, so that nothing jumps once they are.
  const actions = (
    <PageActions
      missing={query.data === undefined ? "The sites are not known yet." : null}
      onAddSite={() => setOpen({ kind: "add" })}
      onImport={(what) => setOpen({ kind: "import", what })}
    />
  );
  return (
    <PageLayout title="Site Management" actions={actions}>
      <QueryState
        query={query}
        loading={
          <div className={classes["split"]}>
            <div className={classes["card"]}>
              <SkeletonLines label="Loading sites" lines={6} />
            </div>
            <div className={classes["card"]}>
              <SkeletonLines label="Loading the site" lines={6} lineHeightPx={56} />
            </div>
          </div>
        }
        failed="The sites could not be loaded."
      >
        {(data) => <Management sites={data} open={open} onOpen={setOpen} />}
      </QueryState>
    </PageLayout>
  );
}

interface ManagementProps {
  readonly sites: readonly Site[];
  readonly open: OpenDialog | null;
  readonly onOpen: (dialog: OpenDialog | null) => void;
}

function Management({ sites, open, onOpen }: ManagementProps) {
  const { state: url, change } = useUrlState(sitesUrl);
  const writeSearch = useCallback((search: string) => change({ search }, "replace"), [change]);
  const [search, setSearch] = useSearchDraft(url.search, writeSearch);
  const found = useMemo(() => searchManagedSites(sites, search), [sites, search]);
  const selected = sites.find((site) => site.id === url.siteId);
  const { detail, showDetail } = useDetailInSight(selected?.id ?? null);
  return (
    <div className={classes["split"]}>
      <AllSitesCard
        sites={sites}
        found={found}
        selectedId={selected?.id ?? null}
        search={search}
        onSearch={setSearch}
        onSelect={(siteId) => {
          change({ siteId }, siteId === selected?.id ? "replace" : "push");
          showDetail(siteId);
        }}
        onAdd={() => onOpen({ kind: "add" })}
        onEdit={(site) => onOpen({ kind: "edit", site })}
        onDelete={(site) => onOpen({ kind: "delete", site })}
      />
      <section
        ref={detail}
        className={`${classes["card"]} ${classes["detail"]}`}
        aria-label="Selected site"
        data-selected={selected !== undefined || undefined}
        tabIndex={-1}
      >
        {selected === undefined ? (
          <EmptyState
            title="Select a site to manage its robots"
            icon={<IconMapPin size={32} stroke={1.5} />}
            {...(url.siteId !== null && {
              message: "The site in this address is not there, or not yours.",
              action: (
                <Button variant="default" size="xs" onClick={() => change({ siteId: null }, "replace")}>
                  Show all sites
                </Button>
              ),
            })}
          />
        ) : (
          <ManagedSite key={selected.id} site={selected} tab={url.tab} onTab={(tab) => change({ tab }, "replace")} />
        )}
      </section>
      <FirmwareDialogs siteId={selected?.id ?? null} />
      <ManagementDialogs
        open={open}
        sites={sites}
        onCreated={(siteId) => {
          // A search that leaves the new site out would hide it.
          change({ siteId, search: "" }, "push");
        }}
        // §4: deleting the selected site clears the selection, robots and groups.
        onGone={(siteId) => {
          if (siteId === url.siteId) change({ siteId: null }, "replace");
        }}
        onClose={() => onOpen(null)}
      />
    </div>
  );
}
