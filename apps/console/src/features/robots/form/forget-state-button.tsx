import { Button } from "@mantine/core";
import { forgetRobotState } from "@suncrew/contract/robots/robot-forms.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change } from "../../../platform/api/change.ts";
import { confirm } from "../../../platform/confirm/confirm.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";

export interface ForgetStateButtonProps {
  readonly robot: RobotWithSettings;
  readonly className: string | undefined;
}

/** Protocol rule 14: for a robot that lost its memory. There for Super Admins only (§6). */
export function ForgetStateButton({ robot, className = "" }: ForgetStateButtonProps) {
  const { role } = useSignedIn();
  const [isBusy, setBusy] = useState(false);
  if (!mayCall(role, "forgetRobotState")) return null;
  const { robot_id: id, robot_name: name } = robot;

  const forget = async () => {
    if (isBusy) return;
    const isSure = await confirm({
      title: "Forget Robot State",
      message: `For a robot that has lost its memory, so that Suncrew takes what it says again. What ${name} last told and its open alerts are forgotten, and its next report is taken as the first. Its history, lock and settings stay. Make sure that it stands.`,
      confirmLabel: "Forget",
      destructive: true,
    });
    if (!isSure) return;
    setBusy(true);
    await change({
      send: () => call(forgetRobotState, { params: { id } }),
      success: ({ message }) => ({ title: "Robot State Forgotten", message }),
      failure: { title: "Robot State Not Forgotten", message: `The state of ${name} is as it was.` },
    });
    setBusy(false);
  };

  return (
    <Button variant="subtle" color="gray" className={className} loading={isBusy} onClick={() => void forget()}>
      Forget state
    </Button>
  );
}
