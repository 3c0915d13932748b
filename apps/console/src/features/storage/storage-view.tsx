import { Box, Progress } from "@mantine/core";
import { type Storage, storage, type StoredDisk, type StoredKind } from "@suncrew/contract/storage/storage.ts";
import { sizeText } from "@suncrew/domain/alerts/disk-space.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useIsNarrow } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import { deletedText, diskLook, keptText, kindLooks, rowsText } from "./storage-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./storage-view.module.css";

const ROW_PX = 50;
const NARROW_ROW_PX = 92;
/** Servers measure every few minutes. */
const REFETCH_INTERVAL_MS = 60_000;

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const dayText = (at: string | null) => (at === null ? "–" : day.format(new Date(at)));

/** What is stored, how much space it takes and how long it is kept, for Super Admins. */
export function StorageView() {
  const query = useQuery({ ...routeQuery(storage, {}), refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Box
      component="section"
      display="flex"
      miw={0}
      style={{ flexDirection: "column", gap: 12 }}
      aria-label="Stored data"
    >
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading stored data..." lines={8} />}
        failed="What is stored could not be measured."
      >
        {(stored) => (
          <>
            <Summary stored={stored} />
            <Kinds kinds={stored.kinds} />
          </>
        )}
      </QueryState>
    </Box>
  );
}

function Summary({ stored }: { stored: Storage }) {
  const { database_bytes: all, other_bytes: other, last_deletion: last, disks } = stored;
  return (
    <Box className={shared["card"]} p={16} display="grid" style={{ gap: 16 }}>
      <Facts
        facts={{
          Database: sizeText(all),
          "Besides what is listed": `${sizeText(other)}: sites, robots, devices, accounts and the like`,
          "Last deleted":
            last === null ? (
              "Nothing yet"
            ) : (
              <>
                <RelativeTime at={last.at} />: {deletedText(last)}
              </>
            ),
          Measured: <RelativeTime at={stored.measured_at} />,
        }}
      />
      {disks.length > 0 && (
        <div className={classes["disks"]}>
          {disks.map((disk) => (
            <DiskBar key={`${disk.server}:${disk.folder}`} disk={disk} />
          ))}
        </div>
      )}
    </Box>
  );
}

function DiskBar({ disk }: { disk: StoredDisk }) {
  const { name, free, takenPercent, color } = diskLook(disk);
  return (
    <div className={classes["disk"]}>
      <Box component="span" fw={600} style={{ overflowWrap: "anywhere" }}>
        {name}
      </Box>
      <span className={shared["muted"]}>{free}</span>
      <Progress.Root size={8} role="img" aria-label={`${name}: ${free}`}>
        <Progress.Section value={takenPercent} color={color} aria-hidden />
      </Progress.Root>
    </div>
  );
}

function Kinds({ kinds }: { kinds: readonly StoredKind[] }) {
  const isNarrow = useIsNarrow();
  if (kinds.length === 0) return <EmptyState title="Nothing is stored" />;
  const largest = kinds.toSorted((one, other) => other.bytes - one.bytes);
  return (
    <VirtualTable
      label="Stored data, the largest first"
      columns={["Data", "Kept for", "Size", "Rows", "Oldest", "Deleted next"]}
      rows={largest}
      keyOf={({ kind }) => kind}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(row) => <KindCells row={row} isNarrow={isNarrow} />}
    </VirtualTable>
  );
}

function KindCells({ row, isNarrow }: { row: StoredKind; isNarrow: boolean }) {
  const { label, hint } = kindLooks[row.kind];
  /** On a phone there are no column titles. */
  const told = (title: string, text: string) => (isNarrow ? `${title} ${text}` : text);
  return (
    <>
      <Cell area="kind" className={classes["kind"]}>
        {label}
        <span className={`${shared["truncate"]} ${classes["hint"]}`}>{hint}</span>
      </Cell>
      <Cell area="kept">{told("Kept:", keptText(row.keep_days))}</Cell>
      <Cell area="size" className={classes["number"]}>
        {sizeText(row.bytes)}
      </Cell>
      <Cell area="rows" className={`${shared["muted"]} ${classes["number"]}`}>
        {isNarrow && row.rows !== null ? `${rowsText(row.rows)} rows` : rowsText(row.rows)}
      </Cell>
      <Cell area="oldest" className={shared["muted"]}>
        {told("Oldest:", dayText(row.oldest_at))}
      </Cell>
      <Cell area="next" className={shared["muted"]}>
        {told("Next:", dayText(row.next_deletion_at))}
      </Cell>
    </>
  );
}
