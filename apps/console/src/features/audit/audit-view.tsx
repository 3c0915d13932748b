import { Button } from "@mantine/core";
import { IconRefresh, IconShieldCheck } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { useAddress } from "../../platform/address.tsx";
import { serverReason } from "../../platform/api/errors.ts";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import {
  type AuditAddress,
  changeAuditAddress,
  clearAuditAddress,
  isNarrowed,
  readAuditAddress,
} from "./audit-address.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditRow } from "./audit-row.tsx";
import { useAuditList, useExactTotal } from "./use-audit-list.ts";
import classes from "./audit-view.module.css";

/** Every change that anyone or anything made or was refused, for Super Admins. */
export function AuditView() {
  const [params, changeParams] = useAddress();
  const address = readAuditAddress(params);
  const change = useCallback(
    (part: Partial<AuditAddress>) => changeParams((now) => changeAuditAddress(now, part), "replace"),
    [changeParams],
  );
  const writeSearch = useCallback((search: string) => change({ search }), [change]);
  const [search, setSearch] = useSearchDraft(address.search, writeSearch);
  const isOn = !endsBeforeItBegins(address);
  const list = useAuditList(address, isOn);
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  return (
    <section className={classes["view"]} aria-label="Audit">
      <AuditFilters
        address={address}
        search={search}
        actions={first?.actions ?? []}
        entities={first?.entities ?? []}
        onSearch={setSearch}
        onChange={change}
        onClear={() => changeParams(clearAuditAddress, "replace")}
      />
      <AuditRows address={address} list={list} isOn={isOn} />
      {first !== undefined && isOn && <Head head={first.head} />}
    </section>
  );
}

interface AuditRowsProps {
  readonly address: AuditAddress;
  readonly list: ReturnType<typeof useAuditList>;
  readonly isOn: boolean;
}

function AuditRows({ address, list, isOn }: AuditRowsProps) {
  const [exactWanted, setExactWanted] = useState(false);
  const exact = useExactTotal(address, exactWanted && isOn);
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  if (!isOn) return <EmptyState title="No changes found" message="The last day is before the first." />;
  if (list.isError && first === undefined) {
    return (
      <FailedState
        title="The audit could not be loaded."
        message={serverReason(list.error)}
        retrying={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (first === undefined) return <SkeletonLines label="Loading audit..." lines={8} />;
  const entries = pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <EmptyState title="No changes found" {...(isNarrowed(address) && { message: "Nothing matches the filters." })} />
    );
  }
  const total = exact.data ?? first;
  return (
    <>
      <ol className={classes["list"]} aria-label="Changes, newest first" aria-busy={list.isPlaceholderData}>
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </ol>
      {list.isFetchNextPageError && (
        <p className={classes["note"]} role="alert">
          Older changes could not be loaded.
        </p>
      )}
      <div className={classes["foot"]}>
        <span>
          Showing {entries.length.toLocaleString()} of {total.total.toLocaleString()}
          {total.total_exact ? "" : "+"} changes
        </span>
        {!total.total_exact && (
          <Button variant="subtle" size="compact-sm" loading={exact.isFetching} onClick={() => setExactWanted(true)}>
            Count exactly
          </Button>
        )}
        {list.hasNextPage && (
          <Button
            variant="default"
            size="compact-sm"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={list.isRefetching && !list.isFetchingNextPage}
          onClick={() => void list.refetch()}
        >
          Refresh
        </Button>
      </div>
    </>
  );
}

function Head({ head }: { readonly head: { number: number; hash: string; sealed_at: string } | null }) {
  if (head === null) return null;
  return (
    <p className={classes["head"]}>
      <IconShieldCheck size={16} aria-hidden />
      <span>
        Sealed up to number {head.number.toLocaleString()} <RelativeTime at={head.sealed_at} />.{" "}
        <span className={classes["hash"]}>{head.hash}</span>
      </span>
    </p>
  );
}
