import { Box, Button } from "@mantine/core";
import type { Mute } from "@suncrew/contract/notifications/mutes.ts";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { QueryState } from "../../platform/query-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { browserZone } from "../../ui/exact-time-text.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import { mutedName, mutesQuery, unmute } from "./mutes.ts";
import shared from "../../ui/shared.module.css";
import classes from "./mutes-tab.module.css";

/** What nobody is told of, and until when. */
export function MutesTab() {
  return (
    <QueryState
      query={useQuery(mutesQuery())}
      loading={<SkeletonLines label="Loading what is muted" lines={3} lineHeightPx={52} />}
      failed="What is muted could not be loaded."
    >
      {(mutes) =>
        mutes.length === 0 ? (
          <div className={shared["card"]}>
            <EmptyState
              title="Nothing is muted."
              message="Alerts of every robot and site are told as the rules say. A robot is muted on its page, a site with its details."
              icon={<IconBell size={32} stroke={1.5} />}
            />
          </div>
        ) : (
          <ul className={`${shared["card"]} ${classes["list"]}`} aria-label="Muted">
            {mutes.map((mute) => (
              <MutedRow key={mute.id} mute={mute} />
            ))}
          </ul>
        )
      }
    </QueryState>
  );
}

function MutedRow({ mute }: { readonly mute: Mute }) {
  const { site_name, serial_number, until, reason, muted_by, muted_at } = mute;
  const [isBusy, run] = useBusy();
  const now = useNow();
  return (
    <li className={classes["row"]}>
      <Box component="span" flex={1} miw={0}>
        <span className={shared["name"]}>{mutedName(mute)}</span>{" "}
        <span className={shared["muted"]}>{serial_number === null ? "Whole site" : site_name}</span>
        <Box component="p" fz={13} style={{ overflowWrap: "anywhere" }}>
          Until {siteTimeText(new Date(until), browserZone(), now)}: {reason}
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
}
