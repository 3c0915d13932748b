import { Button, Group as Row } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { IconDownload, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { useUrlParams } from "../../../platform/url-params.tsx";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { PageLayout } from "../../../ui/page-layout.tsx";
import { SearchBox } from "../../../ui/search-box.tsx";
import { useSearchDraft } from "../../../ui/use-search-draft.ts";
import { AdminsButton } from "../../admins/public.ts";
import { exportPartners } from "./export-partners.ts";
import { PartnerDialogs } from "./partner-dialogs.tsx";
import type { OpenDialog } from "./partner-dialogs.tsx";
import { PartnerCardSkeletons, PartnerGrid } from "./partner-grid.tsx";
import { searchPartners } from "./partner-search.ts";
import classes from "./partners-page.module.css";

const SEARCH = "q";
const REREAD_EVERY_MS = 10_000;

/** §2 Partner Management page. */
export function PartnersPage() {
  // The live stream tells nothing of partners: whoever manages them sees what others do a moment later.
  const query = useQuery({ ...routeQuery(partnerDetails, {}), refetchInterval: REREAD_EVERY_MS });
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const [search, setSearch] = useAddressedSearch();
  const words = useDeferredValue(search);
  const partners = query.data;
  const found = useMemo(() => searchPartners(partners ?? [], words), [partners, words]);
  return (
    <PageLayout
      title="Partner Management"
      actions={
        <Row gap="xs">
          <AdminsButton />
          <DisabledReason reason={exportObstacle(partners, found)}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => exportPartners(found)}
            >
              Export CSV
            </Button>
          </DisabledReason>
          <Button
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => setOpen({ kind: "add" })}
          >
            Add New Partner
          </Button>
        </Row>
      }
    >
      <div className={classes["bar"]}>
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
      </div>
      {partners !== undefined ? (
        <PartnerGrid partners={partners} found={found} onOpen={setOpen} />
      ) : query.isError ? (
        <div className={classes["panel"]}>
          <FailedState
            title="The partners could not be loaded."
            message={query.error.message}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      ) : (
        <PartnerCardSkeletons />
      )}
      {open !== null && <PartnerDialogs open={open} partners={partners ?? []} onOpen={setOpen} />}
    </PageLayout>
  );
}

function useAddressedSearch() {
  const [params, change] = useUrlParams();
  const writeAddress = useCallback(
    (words: string) => {
      change((current) => {
        const next = new URLSearchParams(current);
        if (words === "") next.delete(SEARCH);
        else next.set(SEARCH, words);
        return next;
      }, "replace");
    },
    [change],
  );
  return useSearchDraft(params.get(SEARCH) ?? "", writeAddress);
}

function exportObstacle(partners: readonly Partner[] | undefined, found: readonly Partner[]): string | null {
  if (partners === undefined) return "The partners are not loaded.";
  return found.length === 0 ? "There is no partner to export." : null;
}

function countText(found: number, all: number): string {
  const noun = all === 1 ? "partner" : "partners";
  return found === all ? `${all} ${noun}` : `${found} of ${all} ${noun}`;
}
