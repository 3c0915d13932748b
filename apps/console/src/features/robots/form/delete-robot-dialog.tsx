import { Text } from "@mantine/core";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { useRobotLive } from "../../../platform/live/live.ts";
import { DeleteDialog } from "../../../ui/delete-dialog.tsx";
import { deleteBlockedReason } from "./robot-form.ts";
import { removeRobot } from "./use-robot-form.ts";

export interface DeleteRobotDialogProps {
  readonly robot: RobotWithSettings;
  readonly siteName: string;
  readonly onClose: () => void;
}

/** §2 Delete robot: it asks first, and says why if the robot cannot be deleted now. */
export function DeleteRobotDialog({ robot, siteName, onClose }: DeleteRobotDialogProps) {
  const now = useRobotLive(robot.robot_id) ?? robot;
  const groups = useQuery(routeQuery(groupList, { params: { siteId: robot.site_id } })).data;
  const groupName = groups?.find(({ id }) => id === now.group_id)?.group_name ?? null;
  const { robot_name: ownName, serial_number: serial } = robot;
  const name = ownName === "" ? serial : ownName;
  return (
    <DeleteDialog
      title="Delete Robot"
      blockedReason={deleteBlockedReason(now, groupName)}
      onDelete={async () => {
        const refusal = await removeRobot(robot);
        if (refusal === null) onClose();
        return refusal;
      }}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        Delete robot "{name}"{name !== serial && ` (${serial})`} from {siteName}? This action cannot be undone. Its
        history stays readable, and its serial number is free again.
      </Text>
    </DeleteDialog>
  );
}
