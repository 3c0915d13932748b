import { Button, Select, Stack, Switch, Textarea } from "@mantine/core";
import {
  type ReportTemplate,
  reportSettings,
  reportTemplates,
  updateReportSettings,
} from "@suncrew/contract/report-templates/report-templates.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { LogoCard } from "./logo-card.tsx";
import { MailServerCard } from "./mail-server-card.tsx";
import { recipientsOf, type ReportSettings } from "./report-drafts.ts";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import classes from "./report-management.module.css";

const ALL_SECTIONS = "all";

/** §2 Report Management: automatic monthly reports and their emails. */
export function SettingsTab() {
  const settings = useQuery(routeQuery(reportSettings, {}));
  const templates = useQuery(routeQuery(reportTemplates, {}));
  return (
    <QueryState
      query={settings}
      loading={<SkeletonLines label="Loading settings..." lines={4} />}
      failed="The settings could not be loaded."
    >
      {(data) => (
        <Stack gap={14}>
          <SettingsForm settings={data} templates={templates.data ?? []} />
          <LogoCard logo={data.logo} />
          <MailServerCard />
        </Stack>
      )}
    </QueryState>
  );
}

type Change = Partial<Omit<ReportSettings, "email_configured" | "logo" | "version">>;

function SettingsForm({ settings, templates }: { settings: ReportSettings; templates: readonly ReportTemplate[] }) {
  const [busy, run] = useBusy();
  const [typed, setTyped] = useState<string | null>(null);
  const stored = settings.recipients.join("\n");
  const { recipients, wrong } = recipientsOf(typed ?? stored);
  const isTyped = typed !== null && recipients.join("\n") !== stored;
  const save = (by: Change) => run(() => saveSettings({ ...by, version: settings.version }));
  const saveRecipients = async () => {
    if ((await save({ recipients })) === true) setTyped(null);
  };
  const template = templates.find(({ id }) => id === settings.template_id);
  return (
    <div className={`${shared["card"]} ${classes["settings"]}`}>
      <Setting
        control={
          <Switch
            label="Auto-generate monthly reports"
            checked={settings.auto_generate_monthly}
            disabled={busy}
            onChange={(event) => void save({ auto_generate_monthly: event.currentTarget.checked })}
          />
        }
      >
        On the first day of each month, in the site's own time, last month's report of every site is generated and
        stored under Site Reports. Once switched on, this starts on the next first day of a month.
      </Setting>
      <Select
        label="Template of the monthly reports"
        maw={420}
        allowDeselect={false}
        disabled={busy}
        data={[
          { value: ALL_SECTIONS, label: "All sections" },
          ...templates
            .filter(({ id, isActive }) => isActive || id === settings.template_id)
            .map(({ id, name, isActive }) => ({ value: String(id), label: isActive ? name : `${name} (inactive)` })),
        ]}
        value={template === undefined ? ALL_SECTIONS : String(template.id)}
        onChange={(id) => void save({ template_id: id === null || id === ALL_SECTIONS ? null : Number(id) })}
      />
      <Setting
        control={
          <Switch
            label="Email notifications"
            checked={settings.email_notifications}
            disabled={busy}
            onChange={(event) => void save({ email_notifications: event.currentTarget.checked })}
          />
        }
      >
        Each monthly report is sent by email as soon as it is generated: to the contacts of its site that get its
        reports, as Notifications has them, or where there are none to the recipients below.
      </Setting>
      <form
        className={classes["recipients"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped && wrong === null) void saveRecipients();
        }}
      >
        <Textarea
          label="Recipients of all sites' reports"
          description="One email address per line; for sites without contacts of their own"
          autosize
          minRows={2}
          maxRows={8}
          maw={420}
          value={typed ?? stored}
          error={typed === null ? undefined : wrong}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <DisabledReason reason={isTyped ? wrong : "Nothing has been changed."}>
          <Button type="submit" size="xs" loading={busy && isTyped} w="fit-content">
            Save recipients
          </Button>
        </DisabledReason>
      </form>
      <Switch
        label="Also send each report to the site's maintenance partner"
        checked={settings.send_to_partners}
        disabled={busy}
        onChange={(event) => void save({ send_to_partners: event.currentTarget.checked })}
      />
    </div>
  );
}

function Setting({ control, children }: { readonly control: ReactNode; readonly children: ReactNode }) {
  return (
    <div>
      {control}
      <p className={classes["hint"]}>{children}</p>
    </div>
  );
}

async function saveSettings(body: Change & { readonly version: number }): Promise<boolean> {
  const outcome = await change({
    send: () => call(updateReportSettings, { body }),
    invalidates: [queryKeyOf(reportSettings)],
    success: { title: "Settings Updated", message: "The report settings have been saved." },
    failure: { title: "Update Failed", message: "Failed to update the report settings. Please try again." },
  });
  return outcome.kind === "done";
}
