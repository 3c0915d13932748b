import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Button, Group, Tabs } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { useEffect, useRef } from "react";
import { IconInbox, IconWebhook } from "@tabler/icons-react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useIsDemo } from "../../platform/server-config.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { useUrlParams } from "../../platform/url-params.tsx";
import { choiceParam } from "../../platform/url-state.ts";
import { PageLayout } from "../../ui/page-layout.tsx";
import { ContactPointList } from "./contact-point-list.tsx";
import { DeliveriesTab } from "./deliveries-tab.tsx";
import { MutesTab } from "../mutes/public.ts";
import classes from "./notifications-page.module.css";
import { RulesTab } from "./rule-list.tsx";
import { TeamsTab } from "./teams-tab.tsx";

/** Rules, teams and rotas are for Super Admins. */
const TABS = [
  { name: "contacts", label: "Contact points", isForAll: true, Content: ContactPointList },
  { name: "rules", label: "Rules", isForAll: false, Content: RulesTab },
  { name: "teams", label: "Teams and rotas", isForAll: false, Content: TeamsTab },
  { name: "muted", label: "Muted", isForAll: true, Content: MutesTab },
  { name: "sent", label: "Sent messages", isForAll: true, Content: DeliveriesTab },
] as const;

type TabName = (typeof TABS)[number]["name"];

const tabParam = choiceParam<TabName, TabName>(
  "tab",
  { rules: "rules", teams: "teams", muted: "muted", sent: "sent" },
  "contacts",
);

/** Whom alerts are told to, when, and what was told. */
export function NotificationsPage() {
  const { role } = useSignedIn();
  const isDemo = useIsDemo() === true;
  const [params, change] = useUrlParams();
  const tabs = TABS.filter(({ isForAll }) => isForAll || mayCall(role, "notificationRules"));
  const named = tabParam.parse(params.get("tab") ?? "");
  const shown = tabs.find(({ name }) => name === named)?.name ?? "contacts";
  // The parameters of a tab, such as its filters, are not those of the next one.
  const open = (name: string | null) =>
    change(() => new URLSearchParams(name === null || name === "contacts" ? {} : { tab: name }), "push");
  const list = useRef<HTMLDivElement>(null);
  // On a phone the tabs scroll, and a link may lead to one beyond the edge.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <PageLayout
      title="Notifications"
      actions={
        <Group gap={8}>
          {isDemo && mayCall(role, "demoMessages") && (
            <Button
              component={Link}
              to={paths.demoMessages()}
              variant="default"
              leftSection={<IconInbox size={16} aria-hidden />}
            >
              Messages of the demo
            </Button>
          )}
          {mayCall(role, "webhookList") && (
            <Button
              component={Link}
              to={paths.webhooks()}
              variant="default"
              leftSection={<IconWebhook size={16} aria-hidden />}
            >
              Webhooks
            </Button>
          )}
        </Group>
      }
    >
      <Tabs value={shown} keepMounted={false} onChange={open}>
        <Tabs.List ref={list} className={classes["tabs"]}>
          {tabs.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, Content }) => (
          <Tabs.Panel key={name} value={name} className={classes["panel"]}>
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </PageLayout>
  );
}
