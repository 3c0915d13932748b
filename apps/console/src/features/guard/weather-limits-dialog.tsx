import { Box, Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import "@mantine/core/styles/Switch.layer.css";
import { GUARD_FIELDS, type GuardField, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import { hasLimits } from "@suncrew/domain/guard/weather-guard.ts";
import { passedPhrase } from "@suncrew/domain/texts/passed-limit.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { EntityDialog } from "../../platform/form/entity-dialog.tsx";
import { useEntityForm } from "../../platform/form/entity-form.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { changeSensor, READING_REFRESH_MS, saveLimits, useSiteGuard } from "./guard-calls.ts";
import { ForecastAge, type GuardedSite, SensorAge } from "./guard-control.tsx";
import {
  judgedNow,
  LIMIT_FIELDS,
  limitProblems,
  limitRules,
  type LimitsForm,
  rulesOf,
  type RuleField,
  numberText,
  type SiteGuard,
  storedLimits,
  WITHOUT_SENSOR_LABEL,
} from "./weather-limits-form.ts";

export interface WeatherLimitsDialogProps {
  readonly site: GuardedSite;
  readonly onClose: () => void;
}

const PHONE = "48em";

/** §11 Wind and rain guard: the weather beyond which no robot of a site runs. */
export function WeatherLimitsDialog({ site, onClose }: WeatherLimitsDialogProps) {
  const query = useSiteGuard(site, { refreshMs: READING_REFRESH_MS });
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
  const state = useEntityForm<LimitsForm, RuleField, unknown>({
    what: "site",
    opened: stored,
    isNew: false,
    latest: stored,
    deleted: null,
    rules: limitRules,
    problemsOf: limitProblems,
    save: (form, version) => saveLimits(site, { ...updateSiteGuard.body.parse(rulesOf(form)), version }),
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
        <SensorBox site={site} guard={guard}>
          <Switch
            label={WITHOUT_SENSOR_LABEL}
            name="without_sensor"
            description="Without a reading for 90 s, or without a sensor, robots stop and none starts. Otherwise the forecast alone decides then."
            checked={state.form.without_sensor === "STOP"}
            onChange={(event) => state.change({ without_sensor: event.currentTarget.checked ? "STOP" : "FORECAST" })}
          />
        </SensorBox>
        <Preview form={state.form} guard={guard} />
        <Box component="p" className={shared["muted"]} lh="17px">
          <ForecastAge guard={guard} /> This hour and the next count, so that robots rest before the storm. A forecast
          is of some square kilometres and knows no squall; with a sensor, the worst of both counts.
        </Box>
        <Box component="p" className={shared["muted"]} lh="17px">
          Super Admins and the partner that maintains the site can change its limits. Each change is in the audit.
        </Box>
      </Stack>
    </EntityDialog>
  );
}

interface LimitInputProps {
  readonly state: ReturnType<typeof useEntityForm<LimitsForm, RuleField, unknown>>;
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
      description={`${hint}. ${knownText(field, guard)}`}
      inputWrapperOrder={HINT_BELOW}
      value={state.form[field]}
      error={state.problemAt(field)}
      onChange={(event) => state.change({ [field]: event.currentTarget.value })}
      onBlur={() => state.touch(field)}
    />
  );
}

/** "Forecast: 23 km/h, next hour 31 km/h. Measured: 19 km/h." */
function knownText(field: GuardField, { hours, sensor }: SiteGuard): string {
  const { value, measured, unit } = LIMIT_FIELDS[field];
  const [now = null, next = null] = hours.map((hour) => hour[value]);
  const reading = sensor?.fresh === true ? sensor[measured] : null;
  const read = reading === null ? "" : ` Measured: ${numberText(reading)}\u00a0${unit}.`;
  if (now === null && next === null) return `Forecast not known.${read}`;
  const textOf = (known: number | null) => (known === null ? "not known" : `${numberText(known)}\u00a0${unit}`);
  const forecast = now === next ? textOf(now) : `${textOf(now)}, next hour ${textOf(next)}`;
  return `Forecast: ${forecast}.${read}`;
}

/** What these limits mean in the present weather, before they are saved. */
function Preview({ form, guard }: { readonly form: LimitsForm; readonly guard: SiteGuard }) {
  const now = useNow();
  const rules = rulesOf(form);
  if (Object.keys(limitProblems(form)).length > 0) return null;
  if (!hasLimits(rules)) {
    return <Said>Without any limit the weather stops no robot of this site.</Said>;
  }
  const { verdict, passed } = judgedNow(rules, guard, now);
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

interface SensorBoxProps extends Pick<LimitsDialogProps, "site" | "guard"> {
  /** What its silence means. */
  readonly children: ReactNode;
}

/** The weather sensor of a site: which device, what it measured last, and how to change that; it is changed at once. */
function SensorBox({ site, guard: { sensor }, children }: SensorBoxProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [isBusy, run] = useBusy();
  const free = useQuery({ ...routeQuery(serialNumbers, {}), enabled: sensor === null });
  const choices = free.data?.flatMap(({ serial_number: serial, assigned }) => (assigned ? [] : [serial]));
  return (
    <Stack component="section" className={shared["box"]} gap={10} p={12} aria-label="Weather sensor">
      <Box component="h3" fz={13} fw={650} lh="18px">
        Weather sensor
      </Box>
      {sensor === null ? (
        <Group gap={8} align="flex-end">
          <Select
            flex="1 1 200px"
            label="Device"
            placeholder={free.isPending ? "Loading ..." : "No sensor"}
            searchable
            clearable
            error={free.isError ? "The free devices could not be loaded." : null}
            nothingFoundMessage="No free device has this serial number"
            data={choices ?? []}
            value={chosen}
            onChange={setChosen}
          />
          <DisabledReason reason={chosen === null ? "Choose a device first." : null}>
            <Button variant="default" loading={isBusy} onClick={() => void run(() => changeSensor(site, chosen))}>
              Assign
            </Button>
          </DisabledReason>
        </Group>
      ) : (
        <Group gap={8} justify="space-between">
          <Box component="p" fz={13} lh="19px" flex="1 1 200px">
            <SensorAge sensor={sensor} />{" "}
            {sensor.fresh ? (
              <strong>{readingText(sensor)}</strong>
            ) : (
              sensor.received_at !== null && <span className={shared["muted"]}>{readingText(sensor)}</span>
            )}
          </Box>
          <Button
            size="xs"
            variant="default"
            className={shared["touch"] ?? ""}
            loading={isBusy}
            onClick={() => void run(() => changeSensor(site, null))}
          >
            Remove
          </Button>
        </Group>
      )}
      {children}
    </Stack>
  );
}

/** "Gusts 14 km/h, rain 0 mm/h, 31 °C"; what it has no instrument for is left out. */
function readingText({ gust_kmh, rain_mm_h, temperature_c }: NonNullable<SiteGuard["sensor"]>): string {
  const values = [
    gust_kmh === null ? [] : `gusts ${numberText(gust_kmh)}\u00a0km/h`,
    rain_mm_h === null ? [] : `rain ${numberText(rain_mm_h)}\u00a0mm/h`,
    temperature_c === null ? [] : `${numberText(temperature_c)}\u00a0°C`,
  ].flat();
  return sentenceOf(values.join(", "));
}

const sentenceOf = (phrase: string) => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
