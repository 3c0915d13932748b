import { Box, Button, Group, Select, Skeleton, TextInput } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { EntityDialog } from "../../../platform/form/entity-dialog.tsx";
import { DayField } from "../../../ui/day-field.tsx";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { FailedPart, lazyPart } from "../../../ui/lazy-part.tsx";
import { PartnerPicker } from "../../partners/public.ts";
import classes from "./site-dialog.module.css";
import {
  placeOf,
  PRICE_PER,
  SITE_ENERGY_FIELDS,
  SITE_TEXT_FIELDS,
  siteFieldOf,
  type SiteTextField,
} from "./site-form.ts";
import { type SiteFormState, useSiteForm } from "./use-site-form.ts";

const PlacePicker = lazyPart(async () => (await import("../map/place-picker.tsx")).PlacePicker, {
  waiting: <Skeleton flex="1" mih={260} radius="md" />,
  failed: (failure) => <FailedPart title="The map could not be loaded." failure={failure} />,
});

export interface SiteDialogProps {
  /** The site to edit; null creates one. */
  readonly site: Site | null;
  /** The sites as they are known now, also while the dialog is open. */
  readonly sites: readonly Site[];
  readonly onSaved: (siteId: number) => void;
  readonly onClose: () => void;
}

/** §2 Add New Site and Edit Site, with the rules of §5. */
export function SiteDialog({ site, sites, onSaved, onClose }: SiteDialogProps) {
  const state = useSiteForm(site, sites, onSaved);
  const ownId = site?.id;
  const others = useMemo(() => sites.filter(({ id }) => id !== ownId), [sites, ownId]);
  return (
    <EntityDialog
      state={state}
      title={site === null ? "Add New Site" : "Edit Site"}
      submitLabel={site === null ? "Add Site" : "Save"}
      size={960}
      fullScreenBelow="48em"
      onClose={onClose}
    >
      <div className={classes["halves"]}>
        <div className={classes["fields"]}>
          {Object.keys(SITE_TEXT_FIELDS).map((field) => (
            <SiteInput key={field} state={state} field={field as SiteTextField} />
          ))}
        </div>
        <div className={classes["mapHalf"]}>
          <PlacePicker
            place={placeOf(state.form)}
            isTaken={state.isPlaceTaken}
            others={others}
            onPick={({ latitude, longitude }) => {
              state.change({ lat: latitude.toFixed(6), lng: longitude.toFixed(6) });
              state.touch("lat", "lng");
            }}
          />
          <Box component="p" fz={12} lh="17px" c="dimmed">
            Press the map to set latitude and longitude, or drag the pin. Dots are the other sites.
          </Box>
        </div>
        <MaintenanceFields state={state} />
        <EnergyFields state={state} />
      </div>
    </EntityDialog>
  );
}

interface SiteInputProps {
  readonly state: SiteFormState;
  readonly field: SiteTextField;
  /** Shown instead of the input, such as a chosen partner's own contact; then it cannot be edited. */
  readonly fixed?: string | undefined;
  readonly isWide?: boolean;
}

function SiteInput({ state, field, fixed, isWide }: SiteInputProps) {
  const { label, input, isDay, hint, isOptional = false, ...spec } = siteFieldOf(field);
  const isTyped = fixed === undefined;
  const isRequired = isTyped && !isOptional;
  if (isDay === true) {
    return (
      <DayField
        label={label}
        name={field}
        required
        day={state.form[field]}
        error={state.problemAt(field)}
        onChange={(day) => state.change({ [field]: day })}
        onBlur={() => state.touch(field)}
      />
    );
  }
  return (
    <TextInput
      label={label}
      autoComplete="off"
      {...input}
      data-autofocus={field === "name" || undefined}
      className={(isWide ?? spec.isWide) === true ? classes["whole"] : undefined}
      name={field}
      description={hint}
      inputWrapperOrder={HINT_BELOW}
      required={isRequired}
      withAsterisk={isRequired}
      disabled={!isTyped}
      value={fixed ?? state.form[field]}
      error={isTyped ? state.problemAt(field) : null}
      onChange={(event) => state.change({ [field]: event.currentTarget.value })}
      onBlur={() => state.touch(field)}
    />
  );
}

const HINT_BELOW = ["label" as const, "input" as const, "description" as const, "error" as const];

/** As in "INR, Indian Rupee". */
function listCurrencies() {
  const names = new Intl.DisplayNames("en-GB", { type: "currency" });
  return Intl.supportedValuesOf("currency").map((value) => ({ value, label: `${value}, ${names.of(value) ?? ""}` }));
}

/** What the worth of cleaning is computed from, all optional. */
function EnergyFields({ state }: { readonly state: SiteFormState }) {
  const [currencies] = useState(listCurrencies);
  const choiceOf = (field: "currency" | "cleaningPricePer") => ({
    label: siteFieldOf(field).label,
    name: field,
    clearable: true,
    value: state.form[field] === "" ? null : state.form[field],
    error: state.problemAt(field),
    onChange: (chosen: string | null) => state.change({ [field]: chosen ?? "" }),
    onBlur: () => state.touch(field),
  });
  return (
    <fieldset className={classes["maintenance"]}>
      <legend className={classes["legend"]}>Energy and cleaning value</legend>
      <Box component="p" fz={13} lh="18px" c="dimmed">
        Optional. Soiling, what it costs, and when a cleaning pays are computed from these; a figure that needs a
        missing one is not shown.
      </Box>
      <div className={classes["energy"]}>
        {Object.keys(SITE_ENERGY_FIELDS).map((field) =>
          field === "currency" ? (
            <Select
              key={field}
              {...choiceOf(field)}
              data={currencies}
              searchable
              placeholder="Code or name"
              nothingFoundMessage="No currency has this code or name"
            />
          ) : field === "cleaningPricePer" ? (
            <Select key={field} {...choiceOf(field)} data={PRICE_PER} />
          ) : (
            <SiteInput key={field} state={state} field={field as SiteTextField} />
          ),
        )}
      </div>
    </fieldset>
  );
}

/** §5 Site create: a maintenance partner, or contact, phone and email, which a chosen partner fills. */
function MaintenanceFields({ state }: { readonly state: SiteFormState }) {
  const { form } = state;
  const [isPicking, setPicking] = useState(false);
  const partners = useQuery(routeQuery(partnerDetails, {})).data;
  const partner = partners?.find(({ id }) => id === form.maintenancePartnerId);
  const hasPartner = form.maintenancePartnerId !== null;
  const problem = state.problemAt("maintenancePartnerId");
  const valueOfPartner = (text: string | null | undefined) => (hasPartner ? (text ?? "") : undefined);
  return (
    <fieldset className={classes["maintenance"]}>
      <legend className={classes["legend"]}>Maintenance partner</legend>
      <Group gap="6px 10px" justify="space-between">
        <span className={classes["partnerName"]} data-none={!hasPartner || undefined}>
          {hasPartner ? form.maintenancePartner : "No partner: enter contact, phone and email below"}
        </span>
        <DisabledReason
          reason={state.mayChoosePartner ? null : "Only Super Admins can change the maintenance partner."}
        >
          <Button
            variant="default"
            size="xs"
            name="maintenancePartnerId"
            aria-haspopup="dialog"
            onClick={() => setPicking(true)}
          >
            Select Maintenance Partner
          </Button>
        </DisabledReason>
      </Group>
      {problem !== null && (
        <Box component="p" fz={12} c="var(--sc-danger)" role="alert">
          {problem}
        </Box>
      )}
      <div className={classes["contacts"]}>
        <SiteInput state={state} field="maintenanceContact" fixed={valueOfPartner(partner?.contact_person)} />
        <SiteInput state={state} field="maintenancePhone" fixed={valueOfPartner(partner?.contact_info)} />
        <SiteInput state={state} field="maintenanceEmail" fixed={valueOfPartner(partner?.email)} isWide />
      </div>
      {isPicking && (
        <PartnerPicker
          chosenId={form.maintenancePartnerId}
          onChoose={(chosen) => {
            state.change({ maintenancePartnerId: chosen?.id ?? null, maintenancePartner: chosen?.name ?? "" });
            setPicking(false);
          }}
          onClose={() => setPicking(false)}
        />
      )}
    </fieldset>
  );
}
