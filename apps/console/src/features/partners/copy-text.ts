/** Puts text on the clipboard; false where the browser does not let it. Works without TLS too, by the older command. */
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
