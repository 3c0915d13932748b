import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Tabs } from "@mantine/core";
import { useUrlParams } from "../../platform/url-params.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { TemplatesTab } from "./templates-tab.tsx";
import classes from "./report-management.module.css";

/** §2 Report Management page, for Super Admins. */
export function ReportManagementPage() {
  const [params, change] = useUrlParams();
  const tab = params.get("tab") === "settings" ? "settings" : "templates";
  return (
    <PageLayout title="Report Management">
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => change(() => new URLSearchParams(next === "settings" ? { tab: next } : {}), "push")}
      >
        <Tabs.List>
          <Tabs.Tab value="templates">Templates</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="templates" className={classes["panel"]}>
          <TemplatesTab />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={classes["panel"]}>
          <SettingsTab />
        </Tabs.Panel>
      </Tabs>
    </PageLayout>
  );
}
