import { expect } from "vitest";

export interface SavedFile {
  readonly name: string;
  readonly text: string;
}

let saved: Promise<SavedFile>[] = [];

/** From now on files that the console gives the browser are kept here instead of being saved. */
export function catchSavedFiles(): void {
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target;
      if (!(link instanceof HTMLAnchorElement) || link.download === "") return;
      event.preventDefault();
      const { download: name, href } = link;
      saved.push(fetch(href).then(async (response) => ({ name, text: await response.text() })));
    },
    { capture: true },
  );
}

/** Waits for the next file of this test that has not been returned yet. */
export async function nextSavedFile(): Promise<SavedFile> {
  await expect.poll(() => saved.length).toBeGreaterThan(0);
  const first = saved.shift();
  if (first === undefined) throw new Error("The file has been taken by somebody else.");
  return first;
}

export function forgetSavedFiles(): void {
  saved = [];
}
