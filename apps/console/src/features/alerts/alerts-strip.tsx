import { Box, Button, Group, Skeleton, UnstyledButton } from "@mantine/core";
import { type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import { IconCircleCheck, IconCloudOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContentShown } from "../../platform/first-content.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { AcknowledgeButton, subjectOf } from "./acknowledge-button.tsx";
import { emptyTexts, SEVERITIES, severityLook } from "./alert-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./alerts-strip.module.css";

/** How many are shown; on a phone only one. */
const WORST = 3;

export interface AlertsStripProps {
  readonly onShowAll: () => void;
  readonly onSelect: (alert: Alert) => void;
}

/** The worst open alerts; its height does not depend on how many there are. */
export function AlertsStrip({ onShowAll, onSelect }: AlertsStripProps) {
  const query = useQuery({
    ...routeQuery(alertList, { query: { limit: WORST, servers: "true" } }),
    enabled: useFirstContentShown(),
  });
  return (
    <section className={`${shared["card"]} ${classes["strip"]}`} aria-label="Alerts">
      <QueryState
        query={query}
        loading={
          <div className={classes["said"]} role="status" aria-label="Loading alerts">
            <Skeleton height={16} width="60%" />
          </div>
        }
        renderFailed={({ onRetry, retrying = false }) => (
          <div className={classes["said"]} role="alert">
            <IconCloudOff size={18} aria-hidden />
            <span>The alerts could not be loaded.</span>
            <Button size="compact-xs" variant="default" loading={retrying} onClick={onRetry}>
              Retry
            </Button>
          </div>
        )}
      >
        {({ alerts }) => <Worst alerts={alerts.slice(0, WORST)} onSelect={onSelect} />}
      </QueryState>
      <div className={classes["all"]}>
        <span className={`${shared["muted"]} ${classes["counts"]}`}>
          {query.data !== undefined &&
            SEVERITIES.filter((severity) => query.data.open[severity] > 0).map((severity) => (
              <span key={severity}>
                {query.data.open[severity]} {severityLook[severity].label}
              </span>
            ))}
        </span>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={onShowAll}>
          All alerts
        </Button>
      </div>
    </section>
  );
}

function Worst({ alerts, onSelect }: { readonly alerts: readonly Alert[] } & Pick<AlertsStripProps, "onSelect">) {
  if (alerts.length === 0) {
    return (
      <p className={classes["said"]}>
        <IconCircleCheck size={18} aria-hidden />
        {emptyTexts.open}
      </p>
    );
  }
  return (
    <ul className={classes["worst"]}>
      {alerts.map((alert) => (
        <li key={alert.id} className={classes["alert"]}>
          <Group gap={8} wrap="nowrap" miw={0} h={28} fz={13}>
            <StateBadge look={severityLook[alert.severity]} />
            {alert.site_id === null ? (
              <span className={`${shared["truncate"]} ${classes["subject"]}`}>{subjectOf(alert)}</span>
            ) : (
              <UnstyledButton className={`${shared["truncate"]} ${classes["subject"]}`} onClick={() => onSelect(alert)}>
                {subjectOf(alert)}
                {alert.serial_number !== null && (
                  <Box component="span" fw={400} c="dimmed">
                    , {alert.site_name}
                  </Box>
                )}
              </UnstyledButton>
            )}
            <Box component="span" flex="none" fz={12} c="dimmed" style={{ whiteSpace: "nowrap" }}>
              <RelativeTime at={alert.raised_at} />
            </Box>
          </Group>
          <Group gap={8} wrap="nowrap" miw={0} h={28} fz={13}>
            <Box className={shared["truncate"]} component="span" flex="1" title={alert.text}>
              {alert.text}
            </Box>
            {alert.acknowledged_by === null ? (
              <AcknowledgeButton alert={alert} />
            ) : (
              <Box
                className={`${shared["muted"]} ${shared["truncate"]}`}
                component="span"
                flex="0 1 auto"
                maw="50%"
                title={`Acknowledged by ${alert.acknowledged_by}`}
              >
                Acknowledged by {alert.acknowledged_by}
              </Box>
            )}
          </Group>
        </li>
      ))}
    </ul>
  );
}
