import { Group, Skeleton, VisuallyHidden } from "@mantine/core";
import { type Partner, partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { IconBuildingStore, IconDownload, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { QueryState } from "../../../platform/query-state.tsx";
import { saveFile } from "../../../platform/save-file.ts";
import { useRequestedDialog, useUrlState } from "../../../platform/url-params.tsx";
import { textParam, type UrlSchema } from "../../../platform/url-state.ts";
import { useReturnFocus } from "../../../ui/dialog.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { lazyDialog } from "../../../ui/lazy-dialog.tsx";
import { PageLayout } from "../../../ui/page-layout.tsx";
import { SearchBox } from "../../../ui/search-box.tsx";
import { useSearchDraft } from "../../../ui/use-search-draft.ts";
import { VirtualGrid } from "../../../ui/virtual-grid.tsx";
import { AdminsButton } from "../../admins/public.ts";
import { PARTNERS_FILE_NAME, partnersFile, searchPartners } from "../partner-model.ts";
import { type NewPartner, signInOf } from "../credentials/credentials.ts";
import { PartnerCard } from "./partner-card.tsx";
import { ToolButton } from "../../../ui/tool-button.tsx";
import shared from "../../../ui/shared.module.css";
import classes from "./partners-page.module.css";

const partnersUrl: UrlSchema<{ readonly search: string }> = { search: textParam("q", 1_000) };
const REFETCH_INTERVAL_MS = 10_000;

/** §2 Partner Management page. */
export function PartnersPage() {
  // Partners are not part of the live stream, so other users' changes are polled for.
  const query = useQuery({ ...routeQuery(partnerDetails, {}), refetchInterval: REFETCH_INTERVAL_MS });
  const [open, setOpen] = useState<OpenDialog | null>(null);
  useRequestedDialog("add-partner", () => setOpen({ kind: "add" }));
  const [search, setSearch] = useUrlSearch();
  const words = useDeferredValue(search);
  const partners = query.data;
  const found = useMemo(() => searchPartners(partners ?? [], words), [partners, words]);
  return (
    <PageLayout
      title="Partner Management"
      actions={
        <Group gap="xs">
          <AdminsButton />
          <DisabledReason reason={exportBlockedReason(partners, found)}>
            <ToolButton icon={IconDownload} onClick={() => exportPartners(found)}>
              Export CSV
            </ToolButton>
          </DisabledReason>
          <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => setOpen({ kind: "add" })}>
            Add New Partner
          </ToolButton>
        </Group>
      }
    >
      <Group gap="8px 16px" justify="space-between">
        <div className={classes["search"]}>
          <SearchBox
            label="Search partners"
            placeholder="Search by name, contact, email, city, state or username"
            value={search}
            onChange={setSearch}
          />
        </div>
        <p className={classes["count"]} role="status">
          {partners !== undefined && countText(found.length, partners.length)}
        </p>
      </Group>
      <QueryState
        query={query}
        loading={<PartnerCardSkeletons />}
        renderFailed={(failure) => (
          <div className={shared["card"]}>
            <FailedState title="The partners could not be loaded." {...failure} />
          </div>
        )}
      >
        {(data) => <PartnerGrid partners={data} found={found} onOpen={setOpen} />}
      </QueryState>
      {open !== null && <PartnerDialogs open={open} partners={partners ?? []} onOpen={setOpen} />}
    </PageLayout>
  );
}

function useUrlSearch() {
  const { state, change } = useUrlState(partnersUrl);
  return useSearchDraft(state.search, change);
}

function exportBlockedReason(partners: readonly Partner[] | undefined, found: readonly Partner[]): string | null {
  if (partners === undefined) return "The partners are not loaded yet.";
  return found.length === 0 ? "There are no partners to export." : null;
}

const number = (count: number) => count.toLocaleString("en-GB");

function countText(found: number, all: number): string {
  const noun = all === 1 ? "partner" : "partners";
  return found === all ? `${number(all)} ${noun}` : `${number(found)} of ${number(all)} ${noun}`;
}

const MIN_CARD_PX = 340;
const CARD_PX = 268;
const keyOf = (partner: Partner) => partner.id;

export interface PartnerGridProps {
  readonly partners: readonly Partner[];
  readonly found: readonly Partner[];
  readonly onOpen: (open: OpenDialog) => void;
}

/** The cards of the partners found, or why there is none. */
export function PartnerGrid({ partners, found, onOpen }: PartnerGridProps) {
  if (found.length === 0) {
    return (
      <div className={shared["card"]}>
        <EmptyState
          title={partners.length === 0 ? "No maintenance partners found." : "No partners match your search criteria."}
          icon={<IconBuildingStore size={32} stroke={1.5} />}
        />
      </div>
    );
  }
  return (
    <section aria-label="Partners">
      <VisuallyHidden component="h2">Partners</VisuallyHidden>
      <VirtualGrid items={found} keyOf={keyOf} minColumnPx={MIN_CARD_PX} estimatedRowPx={CARD_PX}>
        {(partner) => <PartnerCard partner={partner} onOpen={onOpen} />}
      </VirtualGrid>
    </section>
  );
}

export function PartnerCardSkeletons() {
  return (
    <div role="status" aria-label="Loading partners" className={classes["skeletons"]}>
      {[1, 2, 3, 4, 5, 6].map((key) => (
        <Skeleton key={key} height={CARD_PX} radius="md" />
      ))}
    </div>
  );
}

const PartnerDialog = lazyDialog(
  ({ partner }) => (partner === null ? "Add New Partner" : "Edit Partner"),
  async () => (await import("./partner-dialog.tsx")).PartnerDialog,
);
const DeletePartnerDialog = lazyDialog(
  () => "Delete Partner",
  async () => (await import("./delete-partner-dialog.tsx")).DeletePartnerDialog,
);
const ShareDialog = lazyDialog(
  () => "Share Login Credentials",
  async () => (await import("../credentials/share-credentials-dialog.tsx")).ShareDialog,
);

/** The open dialog. Not kept in the URL, which can only ask for it. */
export type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "edit"; readonly partner: Partner }
  | { readonly kind: "delete"; readonly partner: Partner }
  /** `created` if it opened automatically after a creation. */
  | { readonly kind: "share"; readonly partnerId: number; readonly created: NewPartner | null };

export interface PartnerDialogsProps {
  readonly open: OpenDialog;
  readonly partners: readonly Partner[];
  /** Replaces this dialog by another one; null closes it. */
  readonly onOpen: (open: OpenDialog | null) => void;
}

/** One dialog at a time; the focus returns to what opened the first of them. */
export function PartnerDialogs({ open, partners, onOpen }: PartnerDialogsProps) {
  useReturnFocus();
  const close = () => onOpen(null);
  switch (open.kind) {
    case "add":
    case "edit":
      return (
        <PartnerDialog
          partner={open.kind === "edit" ? (partners.find(({ id }) => id === open.partner.id) ?? open.partner) : null}
          isDeleted={open.kind === "edit" && !partners.some(({ id }) => id === open.partner.id)}
          // §4 Partner: after creation the credentials dialog opens automatically.
          onCreated={(created) => onOpen({ kind: "share", partnerId: created.id, created })}
          onClose={close}
        />
      );
    case "delete":
      return <DeletePartnerDialog partner={open.partner} onClose={close} />;
    case "share":
      return <Share open={open} partners={partners} onOpen={onOpen} />;
  }
}

type OpenShare = Extract<OpenDialog, { kind: "share" }>;

function Share({ open, partners, onOpen }: PartnerDialogsProps & { readonly open: OpenShare }) {
  const { created, partnerId } = open;
  const signIn = signInOf(
    partners.find(({ id }) => id === partnerId),
    created,
  );
  const isDeleted = signIn === null;
  useEffect(() => {
    // Another user deleted the partner.
    if (isDeleted) onOpen(null);
  }, [isDeleted, onOpen]);
  if (isDeleted) return null;
  return (
    <ShareDialog
      signIn={signIn}
      onReset={(password) => onOpen({ ...open, created: created === null ? null : { ...created, password } })}
      onClose={() => onOpen(null)}
    />
  );
}

/** §9: saves the partners as maintenance_partners.csv. */
export function exportPartners(partners: readonly Partner[]): void {
  saveFile(new Blob([partnersFile(partners)], { type: "text/csv;charset=utf-8" }), PARTNERS_FILE_NAME);
}
