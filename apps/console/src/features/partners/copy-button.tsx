import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { toast } from "../../platform/toast.tsx";
import { copyText } from "./copy-text.ts";

/** §8 Clipboard: copies `text` and says so; `what` is such as 'Phone number'. */
export function CopyButton({ what, text }: { what: string; text: string }) {
  const copy = async () => {
    if (await copyText(text)) toast.copied(what);
    else toast.failure({ title: "Not Copied", message: `${what} could not be copied. Select it and copy it by hand.` });
  };
  const label = `Copy ${what.toLowerCase()}`;
  return (
    <Tooltip label={label} withinPortal={false}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={() => void copy()}>
        <IconCopy size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
