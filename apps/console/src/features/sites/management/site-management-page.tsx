import { Button, Menu } from "@mantine/core";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconArrowsUpDown, IconFileDownload, IconFileUpload, IconMapPin, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { QueryState } from "../../../platform/query-state.tsx";
import { useServerConfig } from "../../../platform/server-config.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { useRequestedDialog, useUrlDialog, useUrlParams, useUrlState } from "../../../platform/url-params.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { lazyDialog } from "../../../ui/lazy-dialog.tsx";
import { PageLayout } from "../../../ui/page-layout.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { useSearchDraft } from "../../../ui/use-search-draft.ts";
import { DevicesButton } from "../../devices/public.ts";
import { FirmwareButton, FirmwareDialogs } from "../../firmware/public.ts";
import { downloadExport, ImportDialog, type ImportKind, importKinds } from "../../imports/public.ts";
import { searchManagedSites, worstSite } from "../site-model.ts";
import { AllSitesCard } from "./all-sites-card.tsx";
import { ManagedSite } from "./managed-site.tsx";
import shared from "../../../ui/shared.module.css";
import { SiteDialog } from "../form/lazy-site-dialog.tsx";
import classes from "./site-management-page.module.css";
import { ToolButton } from "../../../ui/tool-button.tsx";
import { sitesUrl } from "./sites-url.ts";

const DeleteSiteDialog = lazyDialog(
  () => "Delete Site",
  async () => (await import("../form/delete-site-dialog.tsx")).DeleteSiteDialog,
);
const SitesTableDialog = lazyDialog(
  () => "All Sites",
  async () => (await import("./sites-table-dialog.tsx")).SitesTableDialog,
);
/** The one open dialog of the page, with what it is about. */
export type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "edit" | "delete"; readonly site: Site }
  | { readonly kind: "import"; readonly what: ImportKind };

export interface ManagementDialogsProps {
  readonly open: OpenDialog | null;
  /** The sites as they are known now. */
  readonly sites: readonly Site[];
  /** A site was created. */
  readonly onCreated: (siteId: number) => void;
  /** A site was deleted. */
  readonly onDeleted: (siteId: number) => void;
  readonly onClose: () => void;
}

/** §2 Site Management page: its dialogs, whose code is loaded when they are opened. */
export function ManagementDialogs({ open, sites, onCreated, onDeleted, onClose }: ManagementDialogsProps) {
  if (open === null) return null;
  if (open.kind === "import") return <ImportDialog target={{ kind: open.what }} onClose={onClose} />;
  if (open.kind === "delete") {
    return (
      <DeleteSiteDialog
        site={open.site}
        onDeleted={() => {
          onClose();
          onDeleted(open.site.id);
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <SiteDialog
      site={open.kind === "edit" ? open.site : null}
      sites={sites}
      onSaved={(siteId) => {
        onClose();
        if (open.kind === "add") onCreated(siteId);
      }}
      onClose={onClose}
    />
  );
}

/** §2 Site Management page: all sites at the left, the selected site's robots and groups at the right. */
export function SiteManagementPage() {
  // The server's mode decides what a failed status call shows.
  useServerConfig();
  const query = useQuery(routeQuery(siteDetails, {}));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { role } = useSignedIn();
  useRequestedDialog("add-site", () => setOpen(mayCall(role, "createSite") ? { kind: "add" } : null));
  // Shown even while the sites are loading, so that nothing jumps once they are there.
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
            <div className={`${shared["card"]} ${shared["sheet"]}`}>
              <SkeletonLines label="Loading sites" lines={6} />
            </div>
            <div className={`${shared["card"]} ${shared["sheet"]}`}>
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
  const [search, setSearch] = useSearchDraft(url.search, change);
  const found = useMemo(() => searchManagedSites(sites, search), [sites, search]);
  const [params] = useUrlParams();
  // Chosen once: a list that follows the statuses would change the site under the person's hands.
  const [first] = useState(() => worstSite(sites)?.id ?? null);
  const [isCleared, setCleared] = useState(false);
  const shownId = url.siteId ?? (params.has("site") || isCleared ? null : first);
  const selected = sites.find((site) => site.id === shownId);
  const select = (siteId: number) => {
    setCleared(false);
    change({ siteId }, siteId === selected?.id ? "replace" : "push");
    showDetail(siteId);
  };
  const [isEditing, showEdit] = useUrlDialog("edit-site");
  const [isTableShown, showTable] = useUrlDialog("sites");
  const { detail, showDetail } = useDetailInSight(selected?.id ?? null);
  return (
    <div className={classes["split"]}>
      <AllSitesCard
        sites={sites}
        found={found}
        selectedId={selected?.id ?? null}
        search={search}
        onSearch={setSearch}
        onSelect={select}
        onTable={() => showTable(true)}
        onAdd={() => onOpen({ kind: "add" })}
        onEdit={(site) => onOpen({ kind: "edit", site })}
        onDelete={(site) => onOpen({ kind: "delete", site })}
      />
      <section
        ref={detail}
        className={`${shared["card"]} ${shared["sheet"]} ${classes["detail"]}`}
        aria-label="Selected site"
        data-selected={selected !== undefined || undefined}
        tabIndex={-1}
      >
        {selected === undefined ? (
          <EmptyState
            title="Select a site to manage its robots"
            icon={<IconMapPin size={32} stroke={1.5} />}
            {...(params.has("site") && {
              message: "Site not found, or no access",
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
      {isTableShown && (
        <SitesTableDialog
          sites={sites}
          onSelect={(siteId) => {
            showTable(false);
            select(siteId);
          }}
          onClose={() => showTable(false)}
        />
      )}
      {isEditing && selected !== undefined && (
        <SiteDialog site={selected} sites={sites} onSaved={() => showEdit(false)} onClose={() => showEdit(false)} />
      )}
      <FirmwareDialogs siteId={selected?.id ?? null} />
      <ManagementDialogs
        open={open}
        sites={sites}
        onCreated={(siteId) => {
          // A search that excludes the new site would hide it.
          change({ siteId, search: "" }, "push");
        }}
        // §4: deleting the selected site clears the selection, robots and groups.
        onDeleted={(siteId) => {
          if (siteId !== shownId) return;
          setCleared(true);
          change({ siteId: null }, "replace");
        }}
        onClose={() => onOpen(null)}
      />
    </div>
  );
}

export interface PageActionsProps {
  /** Why no site can be added or imported now; null if it can. */
  readonly missing: string | null;
  readonly onAddSite: () => void;
  readonly onImport: (kind: ImportKind) => void;
}

/** Actions on sites and robots in general, at the right of the page's heading. */
export function PageActions({ missing, onAddSite, onImport }: PageActionsProps) {
  const { role } = useSignedIn();
  const [exporting, setExporting] = useState<ImportKind | null>(null);
  const mayAddSites = mayCall(role, "createSite");
  // A partner adds no sites, so site files are of no use to it.
  const kinds: readonly ImportKind[] = mayAddSites ? ["sites", "robots"] : ["robots"];

  const download = async (kind: ImportKind) => {
    setExporting(kind);
    await downloadExport(kind);
    setExporting(null);
  };

  return (
    <div className={classes["actions"]}>
      <FirmwareButton />
      <DevicesButton />
      <Menu position="bottom-end" width={210} classNames={{ item: classes["menuItem"] ?? "" }}>
        <Menu.Target>
          <ToolButton icon={IconArrowsUpDown} loading={exporting !== null}>
            Import / Export
          </ToolButton>
        </Menu.Target>
        <Menu.Dropdown>
          {missing !== null && <Menu.Label>{missing}</Menu.Label>}
          {kinds.map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<IconFileUpload size={16} aria-hidden />}
              aria-haspopup="dialog"
              disabled={missing !== null}
              onClick={() => onImport(kind)}
            >
              {importKinds[kind].title}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {kinds.map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<IconFileDownload size={16} aria-hidden />}
              onClick={() => void download(kind)}
            >
              {importKinds[kind].exportTitle}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {mayAddSites && (
        <DisabledReason reason={missing}>
          <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={onAddSite}>
            Add New Site
          </ToolButton>
        </DisabledReason>
      )}
    </div>
  );
}

/** The list is above the detail, not beside it; the same width as in the page's styles. */
const STACKED = "(max-width: 62em)";

/**
 * If the selected site is shown below the list, choosing one in the list scrolls its detail into view and moves the
 * focus there, so that Tab continues from there. A URL that names a site moves nothing.
 */
export function useDetailInSight(selectedId: number | null) {
  const detail = useRef<HTMLElement>(null);
  const chosenId = useRef<number | null>(null);
  const reveal = useCallback(() => {
    chosenId.current = null;
    if (!matchMedia(STACKED).matches) return;
    detail.current?.focus({ preventScroll: true });
    detail.current?.scrollIntoView({ block: "start", behavior: "instant" });
  }, []);
  useEffect(() => {
    if (selectedId !== null && selectedId === chosenId.current) reveal();
  }, [selectedId, reveal]);
  const showDetail = (siteId: number) => {
    chosenId.current = siteId;
    // Its detail is already there.
    if (siteId === selectedId) reveal();
  };
  return { detail, showDetail };
}
