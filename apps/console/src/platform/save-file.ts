/** Passes a file to the browser to save; `name` is its name among the downloads. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers read the content only after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
