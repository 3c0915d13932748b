import { Anchor, Box } from "@mantine/core";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link } from "react-router";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import shared from "../../ui/shared.module.css";
import classes from "./setup-checklist.module.css";
import { typedContactOf } from "./site-model.ts";

interface SetupChecklistProps {
  readonly site: Site;
  readonly rows: readonly RobotWithSettings[];
}

interface Step {
  readonly label: string;
  readonly isDone: boolean;
  /** Where it is done; null where no page can do it. */
  readonly link: { readonly label: string; readonly to: string } | null;
}

/** What a new site still needs before its first night, with the way to each step; nothing once it has everything. */
export function SetupChecklist({ site, rows }: SetupChecklistProps) {
  const { role } = useSignedIn();
  const { data, isPending } = useQuery(routeQuery(groupList, { params: { siteId: site.id } }));
  const wasHeard = useLiveValue(
    useCallback(() => rows.some((row) => (liveStore.robot(row.robot_id) ?? row).last_updated_at !== null), [rows]),
  );
  if (data === undefined && !isPending) return null;
  const groups = data ?? [];
  const here = { siteId: site.id };
  const steps: readonly Step[] = [
    {
      label: "Robots",
      isDone: rows.length > 0,
      link: { label: "Add robots", to: paths.sites({ ...here, dialog: "add-robot" }) },
    },
    {
      label: "First connection",
      isDone: wasHeard,
      link: mayCall(role, "deviceList") ? { label: "Devices", to: paths.sites({ ...here, dialog: "devices" }) } : null,
    },
    {
      label: "Group",
      isDone: groups.length > 0,
      link: { label: "Create a group", to: paths.sites({ ...here, tab: "groups" }) },
    },
    {
      label: "Schedule",
      isDone: groups.some(({ schedule_details }) => schedule_details !== null),
      link: groups.length === 0 ? null : { label: "Set a schedule", to: paths.groupControl(site.id) },
    },
    {
      label: "Contacts",
      isDone: site.maintenance_partner_id !== null || typedContactOf(site).length > 0,
      link: { label: "Edit the site", to: paths.sites({ ...here, dialog: "edit-site" }) },
    },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    // While the groups are loading it holds its place, so that nothing below it moves under the pointer.
    <section
      className={`${shared["box"]} ${classes["card"]}`}
      aria-label="Setting up this site"
      style={isPending ? { visibility: "hidden" } : undefined}
    >
      <Box component="h3" fz={13} fw={650} lh="18px">
        Setting up this site{" "}
        <Box component="span" fw={400} c="dimmed">
          {done} of {steps.length} done
        </Box>
      </Box>
      <ol className={classes["steps"]}>
        {steps.map(({ label, isDone, link }) => (
          <li key={label} className={classes["step"]} data-done={isDone || undefined}>
            {isDone ? (
              <IconCircleCheckFilled size={16} aria-label="Done" role="img" />
            ) : (
              <IconCircle size={16} aria-label="To do" role="img" />
            )}
            {label}
            {!isDone && link !== null && (
              <Anchor component={Link} to={link.to} fz={13} className={classes["link"] ?? ""}>
                {link.label}
              </Anchor>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
