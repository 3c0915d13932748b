/** Where the interface is: the console's own origin unless the build was told otherwise. */
const API_BASE = (import.meta.env.VITE_API_BASE ?? "").replace(/\/+$/, "");

/** The address of a call: `:name` filled from `params`, `query` appended without its undefined values. */
export function urlOf(path: string, params?: object, query?: object): string {
  const given = new Map<string, unknown>(Object.entries(params ?? {}));
  const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(String(given.get(name))));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  const text = search.toString();
  return API_BASE + filled + (text === "" ? "" : `?${text}`);
}
