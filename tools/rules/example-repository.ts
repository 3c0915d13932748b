import type { Problem, RepositoryFile, Rule } from "../repository.ts";

/** A small repository of these files, with some more that imports may name. */
export function repository(sources: Readonly<Record<string, string>>): RepositoryFile[] {
  return Object.entries(sources).map(([path, text]) => ({ path, text }));
}

export const server = "apps/server/src";
/** A file of a console feature, without its role. */
export const consoleSites = "apps/console/src/features/sites/sites-page";
const someFiles = {
  "packages/contract/src/http/error.ts": "export const e = 1;",
  "packages/contract/src/sites/sites.ts": "export const s = 1;",
  "packages/domain/src/sites/site-status.ts": "export const d = 1;",
  [`${server}/platform/clock.ts`]: "export const c = 1;",
  [`${server}/features/sites/public.ts`]: 'export { v } from "./visible-sites.ts";',
  [`${server}/features/sites/visible-sites.ts`]: "export const v = 1;",
  [`${server}/features/sites/sites.routes.ts`]: "export const r = 1;",
  [`${server}/app.ts`]: "export const a = 1;",
  "apps/server/test/harness.ts": "export const h = 1;",
  "apps/console/src/ui/badge.tsx": "export const b = 1;",
  "apps/console/src/features/sites/sites-page.tsx": "export default 1;",
  "apps/console/test/answers.ts": "export const a = 1;",
  "apps/simulator/src/robot.ts": "export const robot = 1;",
};

/** What a rule says about one more file. */
export function problemsOf(rule: Rule, path: string, text: string): Problem[] {
  return rule(repository({ ...someFiles, [path]: text })).filter((problem) => problem.path === path);
}
