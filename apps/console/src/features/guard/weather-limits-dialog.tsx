import { Box, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { GUARD_FIELDS, type GuardField, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { hasLimits } from "@suncrew/domain/guard/weather-guard.ts";
import { passedPhrase } from "@suncrew/domain/texts/passed-limit.ts";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { saveLimits, useSiteGuard } from "./guard-calls.ts";
import { ForecastAge, type GuardedSite } from "./guard-control.tsx";
import {
  judgedNow,
  LIMIT_FIELDS,
  limitProblems,
  limitRules,
  type LimitsForm,
  limitsOf,
  numberText,
  type SiteGuard,
  storedLimits,
} from "./weather-limits-form.ts";

export interface WeatherLimitsDialogProps {
  readonly site: GuardedSite;
  readonly onClose: () => void;
}

const PHONE = "48em";

/** §11 Wind and rain guard: the weather beyond which no robot of a site runs. */
export function WeatherLimitsDialog({ site, onClose }: WeatherLimitsDialogProps) {
  const query = useSiteGuard(site);
  if (query.data !== undefined) return <LimitsDialog site={site} guard={query.data} onClose={onClose} />;
  return (
    <Dialog title={titleOf(site)} size="lg" fullScreenBelow={PHONE} onClose={onClose}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the weather limits" lines={4} lineHeightPx={62} />}
        failed="The weather limits could not be loaded."
      >
        {() => null}
      </QueryState>
    </Dialog>
  );
}

const titleOf = ({ name }: GuardedSite) => `Weather Limits: ${name}`;

interface LimitsDialogProps extends WeatherLimitsDialogProps {
  /** As it is known now, also while the dialog is open. */
  readonly guard: SiteGuard;
}

function LimitsDialog({ site, guard, onClose }: LimitsDialogProps) {
  const stored = storedLimits(guard);
  const state = useEntityForm<LimitsForm, GuardField, unknown>({
    what: "site",
    opened: stored,
    isNew: false,
    latest: stored,
    deleted: null,
    rules: limitRules,
    problemsOf: limitProblems,
    save: (form, version) => saveLimits(site, { ...updateSiteGuard.body.parse(limitsOf(form)), version }),
    onSaved: onClose,
  });
  return (
    <EntityDialog
      state={state}
      title={titleOf(site)}
      submitLabel="Save"
      size="lg"
      fullScreenBelow={PHONE}
      shownBy={["site"]}
      onClose={onClose}
    >
      <Stack gap={14}>
        <Box component="p" fz={13} lh="19px">
          While the weather passes a limit, or is not known, no robot of this site starts, and scheduled runs are
          skipped. Robots that run are stopped when a limit is passed. It is over after ten minutes within all limits.
        </Box>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={14} verticalSpacing={12}>
          {GUARD_FIELDS.map((field) => (
            <LimitInput key={field} state={state} field={field} guard={guard} />
          ))}
        </SimpleGrid>
        <Preview form={state.form} guard={guard} />
        <Box component="p" className={shared["muted"]} lh="17px">
          <ForecastAge guard={guard} /> This hour and the next count, so that robots rest before the storm. A forecast
          is of some square kilometres: it knows no squall.
        </Box>
        <Box component="p" className={shared["muted"]} lh="17px">
          Super Admins and the partner that maintains the site can change its limits. Each change is in the audit.
        </Box>
      </Stack>
    </EntityDialog>
  );
}

interface LimitInputProps {
  readonly state: ReturnType<typeof useEntityForm<LimitsForm, GuardField, unknown>>;
  readonly field: GuardField;
  readonly guard: SiteGuard;
}

const HINT_BELOW = ["label" as const, "input" as const, "description" as const, "error" as const];

function LimitInput({ state, field, guard }: LimitInputProps) {
  const { label, hint } = LIMIT_FIELDS[field];
  return (
    <TextInput
      label={label}
      name={field}
      inputMode={field === "min_temperature_c" || field === "max_temperature_c" ? "text" : "decimal"}
      autoComplete="off"
      placeholder="No limit"
      data-autofocus={field === "max_gust_kmh" || undefined}
      description={`${hint}. ${forecastText(field, guard)}`}
      inputWrapperOrder={HINT_BELOW}
      value={state.form[field]}
      error={state.problemAt(field)}
      onChange={(event) => state.change({ [field]: event.currentTarget.value })}
      onBlur={() => state.touch(field)}
    />
  );
}

/** "Forecast: 23 km/h, then 31." */
function forecastText(field: GuardField, { hours }: SiteGuard): string {
  const { value, unit } = LIMIT_FIELDS[field];
  const [now = null, next = null] = hours.map((hour) => hour[value]);
  if (now === null && next === null) return "Forecast not known.";
  const textOf = (known: number | null) => (known === null ? "not known" : `${numberText(known)} ${unit}`);
  return now === next ? `Forecast: ${textOf(now)}.` : `Forecast: ${textOf(now)}, next hour ${textOf(next)}.`;
}

/** What these limits mean in the present weather, before they are saved. */
function Preview({ form, guard }: { readonly form: LimitsForm; readonly guard: SiteGuard }) {
  const now = useNow();
  const limits = limitsOf(form);
  if (Object.keys(limitProblems(form)).length > 0) return null;
  if (!hasLimits(limits)) {
    return <Said>Without any limit the weather stops no robot of this site.</Said>;
  }
  const { verdict, passed } = judgedNow({ ...limits, without_sensor: guard.without_sensor }, guard, now);
  if (passed !== null) {
    return (
      <Notice role="status" title="With these limits no robot could run now">
        {sentenceOf(passedPhrase(passed))} Robots that run are stopped as soon as this is saved.
      </Notice>
    );
  }
  return verdict === "UNKNOWN" ? (
    <Notice role="status" title="With these limits no robot could start now">
      What they need is not forecast for this hour and the next, or the forecast is older than six hours.
    </Notice>
  ) : (
    <Said>The forecast of this hour and the next is within these limits.</Said>
  );
}

function Said({ children }: { readonly children: string }) {
  return (
    <Box component="p" fz={13} lh="19px" role="status">
      {children}
    </Box>
  );
}

const sentenceOf = (phrase: string) => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
