import { Box, Button, Skeleton } from "@mantine/core";
import type { AttentionItem, attentionList } from "@suncrew/contract/attention/attention.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { IconChevronDown, IconChevronUp, IconCircleCheck, IconCloudOff, IconHandStop } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { statusLooks } from "../../ui/status-looks.ts";
import { useBusy } from "../../ui/use-busy.ts";
import { SEVERITIES, severityLook } from "../alerts/public.ts";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { stopByKey, stopRobots, undoAcknowledged } from "./attention-calls.ts";
import { namesOf, subjectOf } from "./attention-looks.ts";
import classes from "./attention-list.module.css";
import { RetryDialog } from "./retry-dialog.tsx";
import { useAttention } from "./use-attention.ts";
import shared from "../../ui/shared.module.css";

export interface AttentionListProps {
  /** Shows the robots or the runs that an item of several robots, or of a site, is about. */
  readonly onOpen: (item: AttentionItem) => void;
  readonly onShowAlerts: () => void;
}

/** What is wrong right now at all sites, the worst first, with the button that deals with it. */
export function AttentionList({ onOpen, onShowAlerts }: AttentionListProps) {
  const query = useAttention();
  return (
    <section id="attention" className={`${shared["card"]} ${classes["panel"]}`} aria-label="Attention" tabIndex={-1}>
      <QueryState
        query={query}
        loading={
          <div className={classes["loading"]} role="status" aria-label="Loading what needs attention">
            {[70, 55, 62, 48].map((percent) => (
              <Skeleton key={percent} height={16} width={`${percent}%`} />
            ))}
          </div>
        }
        renderFailed={({ onRetry, retrying = false }) => (
          <div className={classes["head"]} role="alert">
            <IconCloudOff size={18} aria-hidden />
            <span className={classes["said"]}>What needs attention could not be loaded.</span>
            <Button
              size="compact-sm"
              variant="default"
              className={shared["touch"]}
              loading={retrying}
              onClick={onRetry}
            >
              Retry
            </Button>
          </div>
        )}
      >
        {(data) => <Items {...data} onOpen={onOpen} onShowAlerts={onShowAlerts} />}
      </QueryState>
    </section>
  );
}

/** More than this many are shown only on request. */
const FEW = 3;

function Items({
  items,
  open,
  acknowledged,
  onOpen,
  onShowAlerts,
}: ResponseOf<typeof attentionList> & AttentionListProps) {
  const [isWhole, setWhole] = useState(false);
  const [isSeenShown, setSeenShown] = useState(false);
  const [asked, setAsked] = useState<{ readonly what: "acknowledge" | "retry"; readonly item: AttentionItem } | null>(
    null,
  );
  const close = () => setAsked(null);
  const total = open.CRITICAL + open.WARNING + open.INFO;
  const shown = items.filter((item) => isSeenShown || item.acknowledged_at === null);
  return (
    <>
      <div className={classes["head"]}>
        {total === 0 ? (
          <>
            <span className={classes["calm"]}>
              <IconCircleCheck size={18} aria-hidden />
            </span>
            <span className={classes["said"]}>
              {acknowledged === 0 ? "Nothing needs attention." : "Nothing else needs attention."}
            </span>
          </>
        ) : (
          <>
            <h2 className={shared["title"]}>Needs attention</h2>
            <span className={classes["counts"]}>
              {SEVERITIES.filter((severity) => open[severity] > 0).map((severity) => (
                <span key={severity}>
                  <StatusIcon look={severityLook[severity]} size={15} /> {open[severity].toLocaleString("en-GB")}{" "}
                  {severityLook[severity].label}
                </span>
              ))}
            </span>
          </>
        )}
        <span className={`${classes["ways"]} ${shared["touchAll"]}`}>
          {acknowledged > 0 && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={isSeenShown}
              rightSection={
                isSeenShown ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />
              }
              onClick={() => setSeenShown(!isSeenShown)}
            >
              {acknowledged.toLocaleString("en-GB")} acknowledged
            </Button>
          )}
          {shown.length > FEW && (
            <Button size="compact-sm" variant="default" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
              {isWhole ? "Show fewer" : `Show all ${shown.length.toLocaleString("en-GB")}`}
            </Button>
          )}
          <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={onShowAlerts}>
            All alerts
          </Button>
        </span>
      </div>
      {shown.length > 0 && (
        <div
          className={`${shared["inset"]} ${classes["scroll"]}`}
          data-whole={isWhole || undefined}
          role="group"
          aria-label="Items, scrollable"
          tabIndex={0}
        >
          <ul>
            {shown.map((item) => (
              <Item
                key={item.key}
                item={item}
                onOpen={() => onOpen(item)}
                onRetry={() => setAsked({ what: "retry", item })}
                onAcknowledge={() => setAsked({ what: "acknowledge", item })}
              />
            ))}
          </ul>
          {total + acknowledged > items.length && (
            <Box component="p" className={shared["muted"]} p="6px 12px">
              Only the first {items.length} are listed.
            </Box>
          )}
        </div>
      )}
      {asked?.what === "acknowledge" && <AcknowledgeDialog item={asked.item} onClose={close} />}
      {asked?.what === "retry" && <RetryDialog item={asked.item} onClose={close} />}
    </>
  );
}

interface ItemProps {
  readonly item: AttentionItem;
  readonly onOpen: () => void;
  readonly onRetry: () => void;
  readonly onAcknowledge: () => void;
}

function Item({ item, onOpen, onRetry, onAcknowledge }: ItemProps) {
  const { kind, severity, site_name, robots, cause, suggestion, acknowledged_at, comment } = item;
  const [isUndoing, undo] = useBusy();
  const look = kind === "MAY_BE_MOVING" ? statusLooks.mayBeMoving : severityLook[severity];
  const at = item.due_at ?? item.since;
  const robot = item.robot_count === 1 ? (robots[0] ?? null) : null;
  const about = `: ${subjectOf(item)}, ${cause}`;
  return (
    <li
      className={classes["item"]}
      data-seen={acknowledged_at !== null || undefined}
      {...(item.can_stop && { onKeyDown: ({ nativeEvent }) => stopByKey(nativeEvent, item) })}
    >
      <span className={classes["icon"]}>
        <StatusIcon look={look} size={18} />
        <span className={shared["visuallyHidden"]}>{look.label}</span>
      </span>
      <span className={classes["subject"]} title={namesOf(item)}>
        <strong>{subjectOf(item)}</strong>
        {robots.length > 0 && (
          <span className={shared["muted"]} title={site_name ?? undefined}>
            {" "}
            {site_name}
          </span>
        )}
      </span>
      <span className={classes["words"]}>
        {cause}{" "}
        <span className={classes["more"]}>
          {acknowledged_at === null ? (
            suggestion
          ) : (
            <>
              Acknowledged by {item.acknowledged_by} <RelativeTime at={acknowledged_at} />
              {comment === null ? "." : `: ${comment}`}
            </>
          )}
        </span>
      </span>
      <span className={`${shared["muted"]} ${classes["age"]}`}>{at !== null && <RelativeTime at={at} />}</span>
      <span className={`${classes["buttons"]} ${shared["touchAll"]}`}>
        {item.can_stop && (
          <Button
            size="compact-xs"
            color="red"
            leftSection={<IconHandStop size={14} aria-hidden />}
            aria-label={`Stop${about}`}
            onClick={() => void stopRobots(item)}
          >
            Stop
          </Button>
        )}
        {item.retry_minutes !== null && acknowledged_at === null && (
          <Button
            size="compact-xs"
            variant="default"
            aria-haspopup="dialog"
            aria-label={`Retry${about}`}
            onClick={onRetry}
          >
            Retry
          </Button>
        )}
        {robot !== null ? (
          <Button
            component={Link}
            to={paths.robot(robot.serial_number, item.since === null ? {} : { at: item.since })}
            size="compact-xs"
            variant="default"
            className={shared["touch"]}
            aria-label={`Open${about}`}
          >
            Open
          </Button>
        ) : (
          item.site_id !== null && (
            <Button size="compact-xs" variant="default" aria-label={`Open${about}`} onClick={onOpen}>
              Open
            </Button>
          )
        )}
        {acknowledged_at === null ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-haspopup="dialog"
            aria-label={`Acknowledge${about}`}
            onClick={onAcknowledge}
          >
            Acknowledge
          </Button>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            loading={isUndoing}
            aria-label={`Undo the acknowledgement${about}`}
            onClick={() => void undo(() => undoAcknowledged(item))}
          >
            Undo
          </Button>
        )}
      </span>
    </li>
  );
}
