import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface ShownOnceProps {
  /** What has been issued, announced to a screen reader. */
  readonly message: string;
  /** When it must have been saved. */
  readonly children: ReactNode;
}

/** Above a password or secret that cannot be shown again. */
export function ShownOnce({ message, children }: ShownOnceProps) {
  const text = { color: "var(--sc-text)" };
  return (
    <>
      <p role="status" style={{ marginBottom: 10, fontSize: 13 }}>
        {message}
      </p>
      <Alert
        color="yellow"
        styles={{ title: text, message: text }}
        icon={<IconAlertTriangle size={18} />}
        title="Shown only now"
        p="sm"
      >
        {children}
      </Alert>
    </>
  );
}
