import { Anchor, Box, Button, Group, NativeSelect, NumberInput, PasswordInput, Stack, TextInput } from "@mantine/core";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  deleteMailServer,
  type MailEncryption,
  mailEncryptionSchema,
  mailServer,
  testMailServer,
  updateMailServer,
} from "@suncrew/contract/reports/mail-server.ts";
import { reportSettings } from "@suncrew/contract/report-templates/report-templates.ts";
import { IconMailOff, IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import shared from "../../ui/shared.module.css";
import classes from "./report-management.module.css";

type MailServer = ResponseOf<typeof mailServer>;
type ShownServer = NonNullable<MailServer["server"]>;

/** The mail server by which reports and alerts are sent: set up here, or shown as the environment has it. */
export function MailServerCard() {
  const server = useQuery(routeQuery(mailServer, {}));
  return (
    <section className={`${shared["card"]} ${classes["settings"]}`} aria-labelledby="mail-server">
      <Box component="h2" id="mail-server" fz={15} fw={600}>
        Mail server
      </Box>
      <QueryState
        query={server}
        loading={<SkeletonLines label="Loading mail server..." lines={4} />}
        failed="The mail server could not be loaded."
      >
        {(data) => (
          <>
            {data.source === "NONE" && (
              <Notice icon={<IconMailOff size={18} aria-hidden />} title="Email is not set up">
                Neither reports nor alerts are sent by email until a mail server is entered here.
              </Notice>
            )}
            {data.source === "DEMO" && (
              <p className={shared["muted"]}>
                Mail goes to the demo&apos;s own mailbox,{" "}
                <Anchor component={Link} to={paths.demoMessages()} inherit td="underline">
                  Messages of the demo
                </Anchor>
                . Enter a mail server to send it to real addresses instead.
              </p>
            )}
            {data.source === "ENVIRONMENT" && data.server !== null ? (
              <ServerFacts server={data.server} />
            ) : (
              <ServerForm key={data.changed?.version ?? 0} data={data} />
            )}
            {data.source !== "NONE" && <TestForm />}
          </>
        )}
      </QueryState>
    </section>
  );
}

const encryptionWord: Readonly<Record<MailEncryption, string>> = {
  STARTTLS: "STARTTLS",
  TLS: "TLS from the start",
  NONE: "None, on this machine only",
};

function ServerFacts({ server }: { readonly server: ShownServer }) {
  const { host, port, encryption, user, has_password, from_name, from_address } = server;
  return (
    <>
      <p className={shared["muted"]}>
        Set by SMTP_URL and MAIL_FROM when Suncrew was started; these win over anything entered here.
      </p>
      <Facts
        facts={{
          Server: `${host}:${port}`,
          Encryption: encryptionWord[encryption],
          User: user === null ? "None" : `${user}${has_password ? ", with a password" : ""}`,
          Sender: from_name === "" ? from_address : `${from_name} <${from_address}>`,
        }}
      />
    </>
  );
}

interface Draft {
  readonly host: string;
  readonly port: string;
  readonly encryption: MailEncryption;
  readonly user: string;
  readonly password: string;
  readonly fromName: string;
  readonly fromAddress: string;
}

const usualPort: Readonly<Record<MailEncryption, string>> = { STARTTLS: "587", TLS: "465", NONE: "25" };

function draftOf(server: ShownServer | null): Draft {
  return {
    host: server?.host ?? "",
    port: String(server?.port ?? usualPort.STARTTLS),
    encryption: server?.encryption ?? "STARTTLS",
    user: server?.user ?? "",
    password: "",
    fromName: server?.from_name ?? "Suncrew",
    fromAddress: server?.from_address ?? "",
  };
}

function ServerForm({ data }: { readonly data: MailServer }) {
  const [isBusy, run] = useBusy();
  const stored = draftOf(data.server);
  const [draft, setDraft] = useState(stored);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const edit = (by: Partial<Draft>) => setDraft({ ...draft, ...by });
  const isKept =
    data.server?.has_password === true &&
    draft.host === stored.host &&
    draft.port === stored.port &&
    draft.user === stored.user;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored);
  const reason =
    draft.host.trim() === "" || draft.fromAddress.trim() === ""
      ? "Enter at least the server and the sender's address."
      : isChanged
        ? null
        : "Nothing has been changed.";
  const save = () => run(async () => setProblems(await saveServer(bodyOf(draft, data))));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === null) void save();
      }}
    >
      <Stack gap={12} maw={560}>
        <div className={classes["mailFields"]}>
          <TextInput
            label="Server"
            name="host"
            placeholder="smtp.example.org"
            autoComplete="off"
            spellCheck={false}
            value={draft.host}
            error={problems["host"]}
            onChange={(event) => edit({ host: event.currentTarget.value })}
          />
          <NumberInput
            label="Port"
            name="port"
            hideControls
            allowDecimal={false}
            min={1}
            max={65_535}
            value={draft.port}
            error={problems["port"]}
            onChange={(port) => edit({ port: String(port) })}
          />
          <NativeSelect
            label="Encryption"
            name="encryption"
            data={mailEncryptionSchema.options.map((value) => ({ value, label: encryptionWord[value] }))}
            value={draft.encryption}
            error={problems["encryption"]}
            onChange={({ currentTarget: { value } }) => {
              const encryption = mailEncryptionSchema.parse(value);
              // The usual port follows; another one was chosen.
              const port = draft.port === usualPort[draft.encryption] ? usualPort[encryption] : draft.port;
              edit({ encryption, port });
            }}
          />
        </div>
        <div className={classes["mailFields"]}>
          <TextInput
            label="User"
            name="user"
            description="Empty: it asks for none"
            autoComplete="off"
            spellCheck={false}
            value={draft.user}
            error={problems["user"]}
            onChange={(event) => edit({ user: event.currentTarget.value })}
          />
          <PasswordInput
            label="Password"
            name="password"
            description={isKept ? "Set; leave empty to keep it" : "Never shown again"}
            autoComplete="new-password"
            value={draft.password}
            error={problems["password"]}
            onChange={(event) => edit({ password: event.currentTarget.value })}
          />
        </div>
        <div className={classes["mailFields"]}>
          <TextInput
            label="Sender's name"
            name="from_name"
            autoComplete="off"
            value={draft.fromName}
            error={problems["from_name"]}
            onChange={(event) => edit({ fromName: event.currentTarget.value })}
          />
          <TextInput
            label="Sender's address"
            name="from_address"
            type="email"
            placeholder="reports@example.org"
            autoComplete="off"
            value={draft.fromAddress}
            error={problems["from_address"]}
            onChange={(event) => edit({ fromAddress: event.currentTarget.value })}
          />
        </div>
        <Group gap={8}>
          <DisabledReason reason={reason}>
            <Button type="submit" size="xs" loading={isBusy}>
              Save mail server
            </Button>
          </DisabledReason>
          {data.source === "CONSOLE" && (
            <Button variant="default" size="xs" onClick={() => void removeServer()}>
              Remove
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function TestForm() {
  const [isBusy, run] = useBusy();
  const [to, setTo] = useState("");
  const [result, setResult] = useState<ResponseOf<typeof testMailServer> | null>(null);
  const test = () => run(async () => setResult(await sendTest(to.trim())));
  return (
    <form
      className={classes["recipients"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (to.trim() !== "") void test();
      }}
    >
      <Group gap={8} align="flex-end">
        <TextInput
          label="Send a test to"
          type="email"
          name="test"
          placeholder="you@example.org"
          w={260}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <DisabledReason reason={to.trim() === "" ? "Enter an email address." : null}>
          <ToolButton type="submit" icon={IconSend} loading={isBusy} h={36}>
            Send test
          </ToolButton>
        </DisabledReason>
      </Group>
      {result !== null && (
        <Box
          component="p"
          role="status"
          fz={13}
          c={result.delivered ? "var(--sc-status-good-fg)" : "var(--sc-danger)"}
          style={{ overflowWrap: "anywhere" }}
        >
          {result.message}
        </Box>
      )}
    </form>
  );
}

function bodyOf(draft: Draft, { changed }: MailServer): BodyOf<typeof updateMailServer> {
  const { host, port, encryption, user, password, fromName, fromAddress } = draft;
  return {
    host: host.trim(),
    port: Number(port),
    encryption,
    user: user.trim() === "" ? null : user.trim(),
    ...(password !== "" && { password }),
    from_name: fromName.trim(),
    from_address: fromAddress.trim(),
    ...(changed !== null && { version: changed.version }),
  };
}

const stale = [queryKeyOf(mailServer), queryKeyOf(reportSettings)];

/** Answers what is wrong, by field. */
async function saveServer(body: BodyOf<typeof updateMailServer>): Promise<Readonly<Record<string, string>>> {
  const outcome = await change({
    send: () => call(updateMailServer, { body }),
    invalidates: stale,
    success: ({ message }) => ({ title: "Mail Server Saved", message }),
    failure: { title: "Saving Failed", message: "The mail server was not saved." },
  });
  if (outcome.kind !== "refused") return {};
  return Object.fromEntries(outcome.problems.map(({ field, message }) => [field, message]));
}

async function removeServer(): Promise<void> {
  const isMeant = await confirm({
    title: "Remove Mail Server",
    message: "Neither reports nor alerts are sent by it any more. Its password is forgotten.",
    confirmLabel: "Remove",
  });
  if (!isMeant) return;
  await change({
    send: () => call(deleteMailServer, {}),
    invalidates: stale,
    success: ({ message }) => ({ title: "Mail Server Removed", message }),
    failure: { title: "Removing Failed", message: "The mail server was not removed." },
  });
}

/** Null if it could not be asked, which is shown. */
async function sendTest(to: string): Promise<ResponseOf<typeof testMailServer> | null> {
  const outcome = await change({
    send: () => call(testMailServer, { body: { to } }),
    success: null,
    failure: { title: "Test Failed", message: "The test was not sent." },
  });
  return outcome.kind === "done" ? outcome.answer : null;
}
