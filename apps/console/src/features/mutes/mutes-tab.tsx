import { Anchor, Box, Button, Group } from "@mantine/core";
import type { Mute } from "@suncrew/contract/notifications/mutes.ts";
import { IconBell } from "@tabler/icons-react";
import { memo, useDeferredValue, useState } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { matchesEveryWord } from "../../ui/matches-search.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import { MuteDialog } from "./mute-control.tsx";
import { mutedName, type MuteTarget, unmute, useMutes } from "./mutes.ts";
import shared from "../../ui/shared.module.css";
import classes from "./mutes-tab.module.css";

/** What nobody is told of, and until when. */
export function MutesTab() {
  // Here, so that what is being typed outlives the mute.
  const [changing, setChanging] = useState<MuteTarget | null>(null);
  return (
    <>
      <QueryState
        query={useMutes((mutes) => mutes)}
        loading={<SkeletonLines label="Loading what is muted" lines={3} lineHeightPx={52} />}
        failed="What is muted could not be loaded."
      >
        {(mutes) =>
          mutes.length === 0 ? (
            <div className={shared["card"]}>
              <EmptyState
                title="Nothing is muted."
                message="Alerts of every robot and site are told as the rules say. A robot is muted on its card, a site with its details."
                icon={<IconBell size={32} stroke={1.5} />}
              />
            </div>
          ) : (
            <MutedList mutes={mutes} onChange={setChanging} />
          )
        }
      </QueryState>
      {changing !== null && <MuteDialog target={changing} onClose={() => setChanging(null)} />}
    </>
  );
}

/** With more than this a search helps. */
const SEARCHED_FROM = 8;

interface OnChange {
  readonly onChange: (target: MuteTarget) => void;
}

function MutedList({ mutes, onChange }: OnChange & { readonly mutes: readonly Mute[] }) {
  const [search, setSearch] = useState("");
  const words = useDeferredValue(search);
  const found = mutes.filter(({ site_name, serial_number, robot_name, reason, muted_by }) =>
    matchesEveryWord(words, [site_name, serial_number ?? "", robot_name ?? "", reason, muted_by]),
  );
  return (
    <>
      {mutes.length > SEARCHED_FROM && (
        <Box maw={380} mb={10}>
          <SearchBox
            label="Search what is muted"
            placeholder="Search by site, robot, reason or person"
            value={search}
            onChange={setSearch}
          />
        </Box>
      )}
      {found.length === 0 ? (
        <div className={shared["card"]}>
          <EmptyState title="Nothing that is muted matches." message="Try other words, or fewer of them." />
        </div>
      ) : (
        <ul className={`${shared["card"]} ${classes["list"]}`} aria-label="Muted">
          {found.map((mute) => (
            <MutedRow key={`${mute.site_id} ${mute.robot_id}`} mute={mute} onChange={onChange} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Of hundreds only those that a search adds are rendered; a change, which is a new mute, keeps its row and the focus. */
const MutedRow = memo(function MutedRow({ mute, onChange }: OnChange & { readonly mute: Mute }) {
  const { site_id, robot_id, site_name, serial_number, timezone, until, reason, muted_by, muted_at } = mute;
  const name = mutedName(mute);
  const [isBusy, run] = useBusy();
  const now = useNow();
  return (
    <li className={classes["row"]}>
      <div className={classes["text"]}>
        <Anchor
          component={Link}
          to={serial_number === null ? paths.site(site_id) : paths.robot(serial_number)}
          inherit
          className={shared["name"]}
        >
          {name}
        </Anchor>{" "}
        <span className={shared["muted"]}>{serial_number === null ? "Whole site" : site_name}</span>
        <Box component="p" fz={13} style={{ overflowWrap: "anywhere" }}>
          Until {siteTimeText(new Date(until), timezone, now)}: {reason}
        </Box>
        <Box component="p" className={shared["muted"]}>
          Muted by {muted_by}, <RelativeTime at={muted_at} />
        </Box>
      </div>
      <Group gap={8} className={shared["touchAll"]}>
        <Button
          size="compact-sm"
          variant="default"
          aria-haspopup="dialog"
          aria-label={`Change the mute of ${name}`}
          onClick={() => onChange({ siteId: site_id, robotId: robot_id, name, timezone })}
        >
          Change
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          loading={isBusy}
          aria-label={`End mute of ${name}`}
          onClick={() => void run(() => unmute(mute))}
        >
          End mute
        </Button>
      </Group>
    </li>
  );
});
