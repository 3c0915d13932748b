import { Alert } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** Why something was or would be refused, inside the dialog that requests it; announced to a screen reader at once. */
export function RefusalBox({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      mt="md"
      p="sm"
      icon={<IconHandStop size={18} aria-hidden />}
      title={title}
      style={{ overflowWrap: "anywhere" }}
    >
      {children}
    </Alert>
  );
}
