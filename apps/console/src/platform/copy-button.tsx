import { ActionIcon, Tooltip } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { toast } from "./toast.tsx";

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

/**
 * Writes text to the clipboard; false if the browser does not allow it. Works without TLS too, with the older command.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const copied = { isTaken: false };
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    copied.isTaken = true;
  };
  document.addEventListener("copy", onCopy, { once: true });
  const isDone = document.execCommand("copy");
  document.removeEventListener("copy", onCopy);
  return isDone && copied.isTaken;
}
