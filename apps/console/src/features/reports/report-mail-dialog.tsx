import "@mantine/core/styles/Checkbox.layer.css";
import { Box, Button, Checkbox, Group, NativeSelect, SegmentedControl, Stack } from "@mantine/core";
import {
  type MonthlyReport,
  monthlyReportMail,
  monthlyReportPreview,
  monthlyReports,
  type ReportDelivery,
  type ReportRecipient,
  sendMonthlyReport,
} from "@suncrew/contract/reports/reports.ts";
import { type MailLanguage, mailLanguageSchema } from "@suncrew/contract/notifications/contact-points.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { mailLanguageNames } from "@suncrew/domain/reports/report-mail-words.ts";
import { IconMailOff, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { deliveryLook, sentSentence } from "../../ui/delivery-looks.ts";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { exactTimeText } from "../../ui/exact-time-text.ts";
import { Facts } from "../../ui/facts.tsx";
import { MailPage } from "../../ui/mail-page.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import classes from "./site-reports.module.css";

/** While something is on its way. */
const REFETCH_INTERVAL_MS = 3_000;

type ReportMail = ResponseOf<typeof monthlyReportMail>;

export interface ReportMailDialogProps {
  readonly report: MonthlyReport;
  /** Of its month. */
  readonly name: string;
  readonly onClose: () => void;
}

/** Whom a monthly report goes to, what its mail says, and what became of it. */
export function ReportMailDialog({ report, name, onClose }: ReportMailDialogProps) {
  const params = { reportId: report.id };
  const mail = useQuery({
    ...routeQuery(monthlyReportMail, { params }),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ status }) => status === "WAITING") === true ? REFETCH_INTERVAL_MS : false,
  });
  return (
    <Dialog title={`${report.site_name}, ${name}`} size={720} fullScreenBelow="48em" onClose={onClose}>
      <QueryState
        query={mail}
        loading={<SkeletonLines label="Loading..." lines={5} />}
        failed="The mail of this report could not be loaded."
      >
        {(data) => <ReportMailContent reportId={report.id} mail={data} onClose={onClose} />}
      </QueryState>
    </Dialog>
  );
}

interface ContentProps {
  readonly reportId: number;
  readonly mail: ReportMail;
  readonly onClose: () => void;
}

function ReportMailContent({ reportId, mail, onClose }: ContentProps) {
  const { recipients, deliveries, has_contacts, mail_available } = mail;
  const [isBusy, run] = useBusy();
  const [toggled, setToggled] = useState<Readonly<Record<number, boolean>>>({});
  const contacts = recipients.filter(({ contact_point_id }) => contact_point_id !== null);
  const isChosen = ({ contact_point_id: id, state, gets_reports }: ReportRecipient) =>
    state === "READY" && ((id === null ? undefined : toggled[id]) ?? gets_reports);
  const chosen = recipients.filter(isChosen);
  const ids = chosen.flatMap(({ contact_point_id }) => contact_point_id ?? []);
  const reason = !mail_available
    ? "No mail server is set up."
    : chosen.length === 0
      ? recipients.length === 0
        ? "Nobody gets the reports of this site yet."
        : "Choose at least one contact."
      : null;
  const send = () => run(() => sendReport(reportId, ids));
  return (
    <Stack gap={18}>
      {!mail_available && (
        <Notice icon={<IconMailOff size={18} aria-hidden />} title="No mail server is set up">
          A Super Admin can do so in Report Management, Settings.
        </Notice>
      )}
      <section aria-labelledby="report-recipients">
        <Box component="h3" id="report-recipients" fz={14} fw={600} mb={4}>
          {has_contacts || contacts.length > 0 ? "Contacts of the site" : "Recipients"}
        </Box>
        {recipients.length === 0 && (
          <p className={shared["muted"]}>
            Add an email contact of the site in Notifications, and let it get the monthly reports.
          </p>
        )}
        <ul className={classes["recipients"]}>
          {recipients.map((recipient) => (
            <RecipientRow
              key={recipient.contact_point_id ?? recipient.address}
              recipient={recipient}
              isChosen={isChosen(recipient)}
              onToggle={(isOn) =>
                recipient.contact_point_id !== null && setToggled({ ...toggled, [recipient.contact_point_id]: isOn })
              }
            />
          ))}
        </ul>
      </section>
      <Deliveries deliveries={deliveries} />
      <Preview reportId={reportId} language={chosen[0]?.language ?? "en"} />
      <DialogFooter staysInSight>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <DisabledReason reason={reason}>
          <Button leftSection={<IconSend size={16} aria-hidden />} loading={isBusy} onClick={() => void send()}>
            {deliveries.length === 0 ? "Send now" : "Send again"}
          </Button>
        </DisabledReason>
      </DialogFooter>
    </Stack>
  );
}

const stateWord = { READY: null, PAUSED: "Paused", UNSUBSCRIBED: "Unsubscribed" } as const;
const roleWord = { OWNER: "Owner", CARETAKER: "Caretaker" } as const;

interface RecipientRowProps {
  readonly recipient: ReportRecipient;
  readonly isChosen: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

function RecipientRow({ recipient, isChosen, onToggle }: RecipientRowProps) {
  const { contact_point_id, name, address, role, language, gets_reports, state } = recipient;
  const details = [
    ...(name === address ? [] : [address]),
    ...(role === null ? [] : [roleWord[role]]),
    mailLanguageNames[language],
    ...(contact_point_id === null ? ["From the report settings"] : gets_reports ? [] : ["Only by hand"]),
    stateWord[state],
  ];
  const description = details.filter((one) => one !== null).join(" · ");
  return (
    <li>
      <Checkbox
        label={name}
        description={description}
        checked={isChosen}
        disabled={contact_point_id === null || state !== "READY"}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
    </li>
  );
}

/** As many deliveries as are shown at first. */
const FEW = 5;

function Deliveries({ deliveries }: { readonly deliveries: readonly ReportDelivery[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <section aria-labelledby="report-deliveries">
      <Group justify="space-between" mb={4}>
        <Box component="h3" id="report-deliveries" fz={14} fw={600}>
          Sent so far
        </Box>
        {deliveries.length > FEW && (
          <Button size="compact-sm" variant="default" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show fewer" : `Show all ${deliveries.length}`}
          </Button>
        )}
      </Group>
      {deliveries.length === 0 ? (
        <p className={shared["muted"]}>Nothing yet.</p>
      ) : (
        <ul aria-label="Deliveries, newest first">
          {deliveries.slice(0, isWhole ? undefined : FEW).map((delivery) => (
            <DeliveryRow key={`${delivery.id} ${delivery.address}`} delivery={delivery} />
          ))}
        </ul>
      )}
    </section>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: ReportDelivery }) {
  const { name, address, status, reason, tries, tried_at, created_at, sent_by } = delivery;
  const when = exactTimeText(new Date(tried_at ?? created_at));
  const by = sent_by === null ? "by Suncrew" : `by ${sent_by}`;
  const tried = tries === 0 ? [] : [tries === 1 ? "1 try" : `${tries} tries`];
  return (
    <li className={classes["delivery"]}>
      <span>
        <b>{name}</b>
        {address !== name && address !== "" && ` ${address}`}
      </span>
      <StateBadge look={deliveryLook[status]} />
      <span className={shared["muted"]}>{[when, by, ...tried].join(", ")}</span>
      {reason !== null && <span>{reason}</span>}
      {status === "SENT" && <span className={shared["muted"]}>{sentSentence("EMAIL")}</span>}
    </li>
  );
}

const VIEWS = ["Light", "Dark", "Text"] as const;

interface PreviewProps {
  readonly reportId: number;
  /** Shown at first. */
  readonly language: MailLanguage;
}

function Preview({ reportId, language: first }: PreviewProps) {
  const [view, setView] = useState<string>("Light");
  const [picked, setPicked] = useState<MailLanguage | null>(null);
  const asked = picked ?? first;
  const preview = useQuery(
    routeQuery(monthlyReportPreview, {
      params: { reportId },
      query: { language: asked },
    }),
  );
  return (
    <section aria-labelledby="report-preview">
      <Group justify="space-between" mb={8}>
        <Box component="h3" id="report-preview" fz={14} fw={600}>
          Preview
        </Box>
        <Group gap={8}>
          <NativeSelect
            size="xs"
            aria-label="Language of the preview"
            data={mailLanguageSchema.options.map((value) => ({ value, label: mailLanguageNames[value] }))}
            value={asked}
            onChange={({ currentTarget: { value } }) => setPicked(mailLanguageSchema.parse(value))}
          />
          <SegmentedControl size="xs" aria-label="Form of the mail" data={[...VIEWS]} value={view} onChange={setView} />
        </Group>
      </Group>
      <QueryState
        query={preview}
        loading={<SkeletonLines label="Loading preview..." lines={6} />}
        failed="The preview could not be loaded."
      >
        {({ subject, html, text, file_name, language }) => (
          <Stack gap={8}>
            <Facts facts={{ Subject: subject, Attached: file_name }} />
            {view !== "Text" ? (
              <MailPage
                title={`Preview of the mail: ${subject}`}
                html={html}
                theme={view === "Dark" ? "dark" : "light"}
                className={classes["preview"]}
              />
            ) : (
              <pre className={classes["text"]} lang={language} aria-label="Text of the mail">
                {text}
              </pre>
            )}
          </Stack>
        )}
      </QueryState>
    </section>
  );
}

/** To the contacts with these ids; without any, to the recipients of the settings. */
async function sendReport(reportId: number, ids: readonly number[]): Promise<void> {
  await change({
    send: () =>
      call(sendMonthlyReport, {
        params: { reportId },
        body: { ...(ids.length > 0 && { contact_point_ids: [...ids] }) },
      }),
    invalidates: [queryKeyOf(monthlyReportMail), queryKeyOf(monthlyReports)],
    success: ({ message }) => ({ title: "Report On Its Way", message }),
    failure: { title: "Sending Failed", message: "The report was not sent." },
  });
}
