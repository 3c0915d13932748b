import "@mantine/core/styles/Checkbox.layer.css";
import { Box, Checkbox, Group, TextInput } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import type { EntityForm } from "../../platform/form/entity-form.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { IdChoice, MultiChoice } from "../../ui/multi-choice.tsx";
import { SEVERITIES, severityLook } from "../alerts/public.ts";
import shared from "../../ui/shared.module.css";
import { ALERT_KIND_GROUPS, alertKindWord } from "./notification-looks.ts";
import classes from "./rule-dialog.module.css";
import type { RuleDraft, RuleField } from "./rule-form.ts";

/** What rules and subscriptions have in common. */
interface RulePartProps {
  readonly state: EntityForm<RuleDraft, RuleField>;
}

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes["part"]} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** The list without the item, or with it. */
const toggled = <T,>(list: readonly T[], item: T, isChosen: boolean): readonly T[] =>
  isChosen ? [...list, item] : list.filter((other) => other !== item);

/** Which alerts. States and partners are for whoever has sites of several: Super Admins. */
export function RuleFilter({ state: { form, change, problemAt } }: RulePartProps) {
  const isSuperAdmin = useSignedIn().role === "SUPER_ADMIN";
  const sites = useQuery(routeQuery(siteDetails, {})).data;
  const partners = useQuery({ ...routeQuery(partnerDetails, {}), enabled: isSuperAdmin }).data;
  const states = [...new Set([...(sites ?? []).map(({ state }) => state), ...form.states])].toSorted();
  const groups = ALERT_KIND_GROUPS.filter(
    ({ kinds, isForSuperAdmins = false }) =>
      isSuperAdmin || !isForSuperAdmins || kinds.some((kind) => form.kinds.includes(kind)),
  );
  const problem = problemAt("severities") ?? problemAt("kinds");
  return (
    <Part title="Which alerts">
      <Group gap="8px 20px" role="group" aria-label="Severities">
        <span className={classes["label"]}>Severities {form.severities.length === 0 && <Hint>all</Hint>}</span>
        {SEVERITIES.map((severity) => (
          <Checkbox
            key={severity}
            label={severityLook[severity].label}
            checked={form.severities.includes(severity)}
            onChange={({ currentTarget: { checked } }) =>
              change({ severities: toggled(form.severities, severity, checked) })
            }
          />
        ))}
      </Group>
      <div>
        <span className={classes["label"]}>Kinds {form.kinds.length === 0 && <Hint>all</Hint>}</span>
        <div className={classes["kinds"]}>
          {groups.map(({ label, kinds }) => (
            <div key={label} role="group" aria-label={label} className={classes["kindGroup"]}>
              <span className={shared["muted"]}>{label}</span>
              {kinds.map((kind) => (
                <Checkbox
                  key={kind}
                  label={alertKindWord[kind]}
                  checked={form.kinds.includes(kind)}
                  onChange={({ currentTarget: { checked } }) => change({ kinds: toggled(form.kinds, kind, checked) })}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
      {problem !== null && <Wrong>{problem}</Wrong>}
      <IdChoice
        label="Sites"
        placeholder="All sites"
        what="site"
        known={sites}
        chosen={form.siteIds}
        error={problemAt("siteIds")}
        onChoose={(siteIds) => change({ siteIds })}
      />
      {isSuperAdmin && (
        <div className={classes["pair"]}>
          <MultiChoice
            label="States"
            placeholder="All states"
            nothingFoundMessage="No state has this name"
            data={states}
            value={[...form.states]}
            error={problemAt("states")}
            onChange={(chosen) => change({ states: chosen })}
          />
          <IdChoice
            label="Partners"
            placeholder="All partners"
            what="partner"
            known={partners}
            chosen={form.partnerIds}
            error={problemAt("partnerIds")}
            onChoose={(partnerIds) => change({ partnerIds })}
          />
        </div>
      )}
    </Part>
  );
}

function Hint({ children }: { readonly children: string }) {
  return (
    <Box component="span" fw={400} c="dimmed">
      {children}
    </Box>
  );
}

export function Wrong({ children }: { readonly children: string }) {
  return (
    <Box component="p" fz={13} c="var(--sc-danger)" role="alert">
      {children}
    </Box>
  );
}

/** How long alerts are collected. */
export function RuleWait({ state: { form, change, problemAt, touch } }: RulePartProps) {
  return (
    <TextInput
      label="Collect alerts for (seconds)"
      name="waitSeconds"
      description="Then one message tells all of them"
      inputMode="numeric"
      autoComplete="off"
      maw={380}
      value={form.waitSeconds}
      error={problemAt("waitSeconds")}
      onChange={(event) => change({ waitSeconds: event.currentTarget.value })}
      onBlur={() => touch("waitSeconds")}
    />
  );
}

/** What follows once it was told. */
export function RuleAfterwards({ state: { form, change, problemAt, touch } }: RulePartProps) {
  return (
    <Part title="Afterwards">
      <TextInput
        label="Repeat until acknowledged, every (minutes)"
        name="repeatMinutes"
        description="Empty: told once"
        inputMode="numeric"
        autoComplete="off"
        maw={380}
        value={form.repeatMinutes}
        error={problemAt("repeatMinutes")}
        onChange={(event) => change({ repeatMinutes: event.currentTarget.value })}
        onBlur={() => touch("repeatMinutes")}
      />
      <Checkbox
        label="Whoever was told is also told when it is over"
        checked={form.tellsCleared}
        onChange={(event) => change({ tellsCleared: event.currentTarget.checked })}
      />
    </Part>
  );
}
