import { Anchor, Box, Button } from "@mantine/core";
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
import { mutedName, unmute, useMutes } from "./mutes.ts";
import shared from "../../ui/shared.module.css";
import classes from "./mutes-tab.module.css";

/** What nobody is told of, and until when. */
export function MutesTab() {
  return (
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
          <MutedList mutes={mutes} />
        )
      }
    </QueryState>
  );
}

/** With more than this a search helps. */
const SEARCHED_FROM = 8;

function MutedList({ mutes }: { readonly mutes: readonly Mute[] }) {
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
            <MutedRow key={mute.id} mute={mute} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Of hundreds only those that a search adds are rendered. */
const MutedRow = memo(function MutedRow({ mute }: { readonly mute: Mute }) {
  const { site_id, site_name, serial_number, timezone, until, reason, muted_by, muted_at } = mute;
  const [isBusy, run] = useBusy();
  const now = useNow();
  return (
    <li className={classes["row"]}>
      <Box component="span" flex={1} miw={0}>
        <Anchor
          component={Link}
          to={serial_number === null ? paths.site(site_id) : paths.robot(serial_number)}
          inherit
          className={shared["name"]}
        >
          {mutedName(mute)}
        </Anchor>{" "}
        <span className={shared["muted"]}>{serial_number === null ? "Whole site" : site_name}</span>
        <Box component="p" fz={13} style={{ overflowWrap: "anywhere" }}>
          Until {siteTimeText(new Date(until), timezone, now)}: {reason}
        </Box>
        <Box component="p" className={shared["muted"]}>
          Muted by {muted_by}, <RelativeTime at={muted_at} />
        </Box>
      </Box>
      <Button
        size="compact-sm"
        variant="default"
        className={shared["touch"]}
        loading={isBusy}
        aria-label={`End the mute of ${mutedName(mute)}`}
        onClick={() => void run(() => unmute(mute))}
      >
        End
      </Button>
    </li>
  );
});
