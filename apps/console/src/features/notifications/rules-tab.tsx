import "@mantine/core/styles/Switch.layer.css";
import { Box, Group, Switch, Tooltip } from "@mantine/core";
import type { NotificationRule } from "@suncrew/contract/notifications/notification-rules.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconAlertTriangle, IconBellRinging, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import { enableRule, removeRule, rulesQuery } from "./notification-calls.ts";
import { alertsText, placesText, stepTexts, telling, useReach } from "./rule-words.ts";
import classes from "./rules-tab.module.css";

const RuleDialog = lazyDialog<{
  readonly rule: NotificationRule | null;
  readonly isDeleted: boolean;
  readonly onClose: () => void;
}>(
  ({ rule }) => (rule === null ? "Add Rule" : "Edit Rule"),
  async () => (await import("./rule-dialog.tsx")).RuleDialog,
);

type Open = { readonly kind: "add" } | { readonly kind: "edit" | "delete"; readonly rule: NotificationRule };

/** Which alerts are told to whom, for Super Admins. */
export function RulesTab() {
  const query = useQuery(rulesQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const now = open?.kind === "edit" ? query.data?.find(({ id }) => id === open.rule.id) : undefined;
  const close = () => setOpen(null);
  const add = (
    <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => setOpen({ kind: "add" })}>
      Add rule
    </ToolButton>
  );
  return (
    <>
      {query.data !== undefined && query.data.length > 0 && (
        <Group gap={8} justify="space-between" mb={10}>
          <Box component="p" flex="1 1 220px" fz={13} lh="18px" c="dimmed">
            Which alerts are told to whom, and when. Everybody is told only of sites that they may see.
          </Box>
          {add}
        </Group>
      )}
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading rules" lines={3} lineHeightPx={84} />}
        failed="The rules could not be loaded."
      >
        {(rules) =>
          rules.length === 0 ? (
            <div className={shared["card"]}>
              <EmptyState
                title="No rules yet."
                message="A rule tells people of alerts by their contact points, and others if nobody acknowledges. Until there is one, only own subscriptions tell anybody."
                icon={<IconBellRinging size={32} stroke={1.5} />}
                action={add}
              />
            </div>
          ) : (
            <RuleList rules={rules} onOpen={setOpen} />
          )
        }
      </QueryState>
      {open !== null && open.kind !== "delete" && (
        <RuleDialog
          key={open.kind === "edit" ? open.rule.id : "new"}
          rule={open.kind === "edit" ? (now ?? open.rule) : null}
          isDeleted={open.kind === "edit" && query.data !== undefined && now === undefined}
          onClose={close}
        />
      )}
      {open?.kind === "delete" && (
        <DeleteDialog
          title="Delete Rule"
          blockedReason={null}
          onDelete={async () => {
            const refusal = await removeRule(open.rule);
            if (refusal === null) close();
            return refusal;
          }}
          onClose={close}
        >
          <Box component="p" fz={14} lh="20px" style={{ overflowWrap: "anywhere" }}>
            Delete the rule <strong>{open.rule.name}</strong>? What it still would have told is not told.
          </Box>
        </DeleteDialog>
      )}
    </>
  );
}

interface RuleListProps {
  readonly rules: readonly NotificationRule[];
  readonly onOpen: (open: Open) => void;
}

function RuleList({ rules, onOpen }: RuleListProps) {
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const partners = useQuery(routeQuery(partnerDetails, {})).data ?? [];
  const reaches = useReach();
  return (
    <ul className={`${shared["card"]} ${classes["list"]}`} aria-label="Rules">
      {rules.map((rule) => (
        <RuleRow
          key={rule.id}
          rule={rule}
          places={placesText(rule.filter, sites, partners)}
          reaches={reaches}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

interface RuleRowProps extends Pick<RuleListProps, "onOpen"> {
  readonly rule: NotificationRule;
  readonly places: string;
  readonly reaches: ReturnType<typeof useReach>;
}

function RuleRow({ rule, places, reaches, onOpen }: RuleRowProps) {
  const { name, enabled } = rule;
  const [isBusy, run] = useBusy();
  return (
    <li className={classes["rule"]} data-off={!enabled || undefined}>
      <span className={classes["switch"]}>
        <Tooltip label={enabled ? "Switch off" : "Switch on"}>
          <Switch
            aria-label={`${name} is on`}
            checked={enabled}
            aria-busy={isBusy}
            onChange={() => void run(() => enableRule(rule, !enabled))}
          />
        </Tooltip>
      </span>
      <h2 className={`${shared["name"]} ${classes["name"]}`}>{name}</h2>
      <div className={classes["text"]}>
        <p>
          <strong>{alertsText(rule.filter)}</strong> {places}
        </p>
        <ol className={classes["steps"]}>
          {stepTexts(rule).map(({ when, whom }, index) => (
            <li key={when}>
              <span className={classes["when"]}>{when}</span> {whom}
              {rule.steps[index] !== undefined && !reaches(rule.steps[index]) && (
                <span className={classes["warning"]}>
                  <IconAlertTriangle size={14} aria-hidden />
                  Reaches nobody: none of them has a contact point.
                </span>
              )}
            </li>
          ))}
        </ol>
        <p className={shared["muted"]}>{telling(rule)}</p>
      </div>
      <span className={classes["actions"]}>
        <RowAction
          label="Edit"
          name={`Edit ${name}`}
          icon={IconPencil}
          onPress={() => onOpen({ kind: "edit", rule })}
        />
        <RowAction
          label="Delete"
          name={`Delete ${name}`}
          icon={IconTrash}
          isDestructive
          onPress={() => onOpen({ kind: "delete", rule })}
        />
      </span>
    </li>
  );
}
