import { Group } from "@mantine/core";
import { IconCloudOff, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ToolButton } from "./tool-button.tsx";
import classes from "./state-panel.module.css";

export interface FailedStateProps {
  /** What could not be loaded. */
  readonly title: string;
  /** Why, if known. */
  readonly message?: string | undefined;
  readonly onRetry: () => void;
  readonly retrying?: boolean;
  /** Another next step, beside Retry. */
  readonly more?: ReactNode;
}

/** Shown in place of what could not be loaded: says so and offers Retry. */
export function FailedState({ title, message, onRetry, retrying = false, more }: FailedStateProps) {
  return (
    <div className={classes["panel"]} role="alert">
      <IconCloudOff size={32} stroke={1.5} className={classes["icon"]} aria-hidden />
      <p className={classes["title"]}>{title}</p>
      {message !== undefined && message !== "" && <p className={classes["message"]}>{message}</p>}
      <Group gap="xs" justify="center">
        <ToolButton icon={IconRefresh} loading={retrying} onClick={onRetry}>
          Retry
        </ToolButton>
        {more}
      </Group>
    </div>
  );
}
