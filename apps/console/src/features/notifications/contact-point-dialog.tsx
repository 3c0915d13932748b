import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Box, Checkbox, Group, NativeSelect, Select, Stack, Switch } from "@mantine/core";
import {
  CONTACT_POINT_NAME_MAX,
  type ContactOwnerKind,
  type ContactPoint,
  mailLanguageSchema,
} from "@suncrew/contract/notifications/contact-points.ts";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { mailLanguageNames } from "@suncrew/domain/reports/report-mail-words.ts";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import type { EntityForm } from "../../platform/form/entity-form.ts";
import type { RowDialogProps } from "../../platform/form/row-dialogs.tsx";
import { NameField, RowFormDialog, useRowForm } from "../../platform/form/row-form.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import type { NewSecret } from "../../platform/signing-secret-dialog.tsx";
import { ClockField } from "../../ui/clock-field.tsx";
import { zoneText } from "../../ui/exact-time-text.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { ChannelField, DestinationFields } from "./channel-fields.tsx";
import {
  bodyOf,
  type ContactPointDraft,
  type ContactPointField,
  contactPointProblems,
  contactPointRules,
  newContactPoint,
  storedContactPoint,
  takesReports,
} from "./contact-point-form.ts";
import classes from "./notifications-page.module.css";
import { optionsQuery, renewSigningSecret, saveContactPoint, teamsQuery } from "./notification-calls.ts";
import { channelLook, ownerKindWord, ownerText, siteRoleWord, WEEKDAYS } from "./notification-looks.ts";

type Form = EntityForm<ContactPointDraft, ContactPointField>;

interface ContactPointDialogProps extends RowDialogProps<ContactPoint> {
  /** A new one belongs to whoever is signed in. */
  readonly isMine: boolean;
  /** What a webhook signs with, which is shown only now. */
  readonly onSecret: (secret: NewSecret) => void;
}

/** Where somebody is reached, and when not. */
export function ContactPointDialog(props: ContactPointDialogProps) {
  const { row: point, isDeleted, isMine, onSecret, onClose } = props;
  const isNew = point === null;
  const { user } = useSignedIn();
  const state = useRowForm<ContactPointDraft, ContactPointField, NewSecret | null>({
    what: "contact point",
    stored: point === null ? { form: newContactPoint(Number(user.id)), version: 0 } : storedContactPoint(point),
    isNew,
    isDeleted,
    rules: contactPointRules,
    problemsOf: (draft) => contactPointProblems(draft, isNew),
    save: (draft, version) => saveContactPoint(point && { id: point.id, version }, bodyOf(draft)),
    onSaved: (secret) => {
      onClose();
      if (secret !== null) onSecret(secret);
    },
  });
  const { form, change } = state;
  return (
    <RowFormDialog state={state} size={640} shownBy={["tab"]} onClose={onClose}>
      <Stack gap={14}>
        {point === null ? (
          !isMine && <OwnerFields state={state} />
        ) : (
          <Box component="p" fz={13} c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {channelLook[point.channel].label} of {point.owner.name} ({ownerText(point.owner)})
          </Box>
        )}
        <div className={isNew ? classes["pair"] : undefined}>
          {isNew && <ChannelField state={state} />}
          <NameField
            state={state}
            maxLength={CONTACT_POINT_NAME_MAX}
            description={isNew ? "As rules and the log show it" : undefined}
            placeholder="Phone, Control room, …"
          />
        </div>
        <DestinationFields state={state} />
        {point?.channel === "WEBHOOK" && <SigningSecret point={point} onSecret={onSecret} />}
        {takesReports(form) && <ReportFields state={state} />}
        <QuietFields state={state} />
        <RegularFields state={state} />
        <Switch
          label="Messages are sent to it"
          description={
            typeof point?.unsubscribed_at === "string"
              ? "Its recipient unsubscribed by a link; switch it on only if they want messages again."
              : undefined
          }
          checked={form.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </RowFormDialog>
  );
}

const OWNER_KINDS: readonly ContactOwnerKind[] = ["PERSON", "TEAM", "PARTNER", "SITE"];
/** More are found by typing. */
const LISTED = 50;

/** Whose a new one is: a partner chooses among itself, its company and its sites. */
function OwnerFields({ state }: { readonly state: Form }) {
  const { role } = useSignedIn();
  const isAdmin = mayCall(role, "teamList");
  const { form, change, problemAt } = state;
  const owners = useOwners(isAdmin, form.ownerKind);
  return (
    <div className={classes["pair"]}>
      <NativeSelect
        label="Whose"
        data={OWNER_KINDS.filter((kind) => isAdmin || kind !== "TEAM").map((value) => ({
          value,
          label: ownerKindWord[value],
        }))}
        value={form.ownerKind}
        onChange={({ currentTarget: { value } }) => {
          const ownerKind = OWNER_KINDS.find((kind) => kind === value) ?? "PERSON";
          change({ ownerKind, ownerId: null });
        }}
      />
      <Select
        label={ownerKindWord[form.ownerKind]}
        name="ownerId"
        withAsterisk
        searchable
        limit={LISTED}
        placeholder="Choose"
        nothingFoundMessage={owners.length === 0 ? "There is none yet" : "Nothing has this name"}
        data={owners.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.ownerId === null ? null : String(form.ownerId)}
        error={problemAt("ownerId")}
        onChange={(id) => change({ ownerId: id === null ? null : Number(id) })}
      />
      {form.ownerKind === "SITE" && (
        <NativeSelect
          label="Contact of the site"
          name="role"
          data={Object.entries(siteRoleWord).map(([value, label]) => ({ value, label }))}
          value={form.role}
          error={problemAt("role")}
          onChange={({ currentTarget: { value } }) => change({ role: value === "CARETAKER" ? "CARETAKER" : "OWNER" })}
        />
      )}
    </div>
  );
}

interface Owner {
  readonly id: number;
  readonly name: string;
}

function useOwners(isAdmin: boolean, kind: ContactOwnerKind): readonly Owner[] {
  const people = useQuery(optionsQuery).data?.people ?? [];
  const teams = useQuery({ ...teamsQuery, enabled: isAdmin }).data ?? [];
  const partners = useQuery({ ...routeQuery(partnerDetails, {}), enabled: isAdmin }).data ?? [];
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  switch (kind) {
    case "PERSON":
      return people;
    case "TEAM":
      return teams;
    case "SITE":
      return sites;
    case "PARTNER": {
      if (isAdmin) return partners;
      // All of a partner's sites are its own.
      const [site] = sites;
      const id = site?.maintenance_partner_id ?? null;
      return id === null ? [] : [{ id, name: site?.partner_name ?? "" }];
    }
  }
}

interface SigningSecretProps {
  readonly point: ContactPoint;
  readonly onSecret: ContactPointDialogProps["onSecret"];
}

function SigningSecret({ point, onSecret }: SigningSecretProps) {
  const [isBusy, run] = useBusy();
  const replace = () =>
    run(async () => {
      const isMeant = await confirm({
        title: "Replace Signing Secret",
        message: `${point.name} gets a new signing secret. For a day its calls are signed with the former one, too.`,
        confirmLabel: "Replace",
      });
      if (!isMeant) return;
      const secret = await renewSigningSecret(point);
      if (secret !== null) onSecret({ name: point.name, secret });
    });
  return (
    <Group gap={8} justify="space-between">
      <Box fz={13} lh="18px">
        <Box fw={550}>Signing secret</Box>
        <Box c="dimmed">Set. It was shown when it was made.</Box>
      </Box>
      <ToolButton icon={IconKey} loading={isBusy} onClick={() => void replace()}>
        Replace
      </ToolButton>
    </Group>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={classes["part"]}>
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

const ZONES = Intl.supportedValuesOf("timeZone");

/** A zone that browsers know by another name is offered, too. */
export function ZoneField({
  zone,
  error,
  onChange,
}: {
  readonly zone: string;
  readonly error: string | null;
  readonly onChange: (zone: string) => void;
}) {
  const zones = [...new Set([zone, ...ZONES.map(zoneText)])];
  return (
    <Select
      className={classes["zone"]}
      label="Time zone"
      name="timezone"
      searchable
      limit={LISTED}
      allowDeselect={false}
      nothingFoundMessage="No zone has this name"
      data={zones}
      value={zone}
      error={error}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  );
}

const LANGUAGES = mailLanguageSchema.options;

/** Owners and caretakers of a site may get its reports. */
function ReportFields({ state: { form, change, problemAt } }: { readonly state: Form }) {
  return (
    <Part title="Monthly reports">
      <Checkbox
        label="Gets the monthly reports of the site"
        description="Once a site has such a contact, its reports go to nobody in the report settings."
        checked={form.getsReports}
        error={problemAt("getsReports")}
        onChange={(event) => change({ getsReports: event.currentTarget.checked })}
      />
      <NativeSelect
        label="Language of these mails"
        name="language"
        maw={220}
        data={LANGUAGES.map((value) => ({ value, label: mailLanguageNames[value] }))}
        value={form.language}
        onChange={({ currentTarget: { value } }) =>
          change({ language: LANGUAGES.find((language) => language === value) ?? "en" })
        }
      />
    </Part>
  );
}

function QuietFields({ state: { form, change, problemAt, touch } }: { readonly state: Form }) {
  const daysProblem = problemAt("daysOff");
  return (
    <Part title="Quiet times">
      <div className={classes["times"]}>
        <ClockField
          label="From"
          name="quietFrom"
          time={form.quietFrom}
          error={problemAt("quietFrom")}
          onChange={(quietFrom) => change({ quietFrom })}
          onBlur={() => touch("quietFrom", "quietTo")}
        />
        <ClockField
          label="Until"
          name="quietTo"
          time={form.quietTo}
          error={problemAt("quietTo")}
          onChange={(quietTo) => change({ quietTo })}
          onBlur={() => touch("quietFrom", "quietTo")}
        />
        <ZoneField zone={form.timezone} error={problemAt("timezone")} onChange={(timezone) => change({ timezone })} />
      </div>
      <Group gap="8px 14px" role="group" aria-label="Days off">
        <Box component="span" w="100%" fz={13} fw={600}>
          Days off
        </Box>
        {WEEKDAYS.map((day, index) => (
          <Checkbox
            key={day}
            name="daysOff"
            label={day.slice(0, 3)}
            aria-label={day}
            checked={form.daysOff.includes(index + 1)}
            onChange={({ currentTarget: { checked } }) => {
              touch("daysOff");
              const others = form.daysOff.filter((one) => one !== index + 1);
              change({ daysOff: checked ? [...others, index + 1] : others });
            }}
          />
        ))}
      </Group>
      {daysProblem !== null && (
        <Box component="p" fz={13} c="var(--sc-danger)" role="alert">
          {daysProblem}
        </Box>
      )}
      <Checkbox
        label="Critical alerts are sent at any time"
        checked={form.criticalPierces}
        onChange={(event) => change({ criticalPierces: event.currentTarget.checked })}
      />
    </Part>
  );
}

function RegularFields({ state: { form, change, problemAt } }: { readonly state: Form }) {
  return (
    <Part title="Once a day">
      <div className={classes["pair"]}>
        <ClockField
          label="Digest of the last day, at"
          name="digestAt"
          description="Empty for none"
          time={form.digestAt}
          error={problemAt("digestAt")}
          onChange={(digestAt) => change({ digestAt })}
        />
        <ClockField
          label="Summary of last night's cleaning, at"
          name="summaryAt"
          description="Empty for none"
          time={form.summaryAt}
          error={problemAt("summaryAt")}
          onChange={(summaryAt) => change({ summaryAt })}
        />
      </div>
    </Part>
  );
}
