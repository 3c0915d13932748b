import { ReloadNeededError } from "../ui/lazy-part.tsx";

/**
 * Scripts that have loaded, so that importing them cannot fail because of a missing file: first those that the page
 * names.
 */
const here = new Set([
  ...[...document.querySelectorAll<HTMLScriptElement>("script[src]")].map(({ src }) => src),
  ...[...document.querySelectorAll<HTMLLinkElement>('link[rel="modulepreload"]')].map(({ href }) => href),
]);

/**
 * Imports a part of the console once all its files have arrived. In the build this replaces Vite's own loader for
 * dynamic imports: a browser remembers a module that failed to load, and would never request it again, whatever a Retry
 * imports. Rejects if a file cannot be loaded; the next call requests it again. While the page itself loads nothing is
 * requested twice; what failed then requires reloading the page, which a ReloadNeededError reports.
 */
export async function loadPart<T>(importPart: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  const isFirstLoad = document.readyState !== "complete";
  await Promise.all(
    files.map(async (file) => {
      const address = new URL(`/${file}`, location.href).href;
      if (file.endsWith(".css")) return bringStyles(address);
      if (isFirstLoad) return hint(address);
      return bringScript(address);
    }),
  );
  return importPart().catch((error: unknown) => {
    throw isFirstLoad ? error : new ReloadNeededError("The browser remembers a failure.", { cause: error });
  });
}

function hint(address: string): void {
  if (here.has(address) || linkOf("modulepreload", address) !== undefined) return;
  const link = newLink("modulepreload", address);
  link.addEventListener("load", () => here.add(address));
  document.head.append(link);
}

/** Into the browser's cache, from which the import takes it. */
async function bringScript(address: string): Promise<void> {
  if (here.has(address)) return;
  const answer = await fetch(address);
  const isScript = answer.headers.get("content-type")?.includes("javascript") === true;
  if (!answer.ok || !isScript) throw new Error(`${address} did not come (${answer.status}).`);
  await answer.arrayBuffer();
  here.add(address);
}

const stylesUnderWay = new Map<string, Promise<void>>();

function bringStyles(address: string): Promise<void> {
  const underWay = stylesUnderWay.get(address);
  if (underWay !== undefined) return underWay;
  if (linkOf("stylesheet", address) !== undefined) return Promise.resolve();
  const link = newLink("stylesheet", address);
  const coming = new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      reject(new Error(`${address} did not come.`));
    });
  }).finally(() => stylesUnderWay.delete(address));
  stylesUnderWay.set(address, coming);
  document.head.append(link);
  return coming;
}

function newLink(rel: string, address: string): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = rel;
  link.crossOrigin = "";
  link.href = address;
  return link;
}

function linkOf(rel: string, address: string): HTMLLinkElement | undefined {
  return [...document.querySelectorAll<HTMLLinkElement>(`link[rel="${rel}"]`)].find(({ href }) => href === address);
}
