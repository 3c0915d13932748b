import type { Problem, RepositoryFile } from "../repository.ts";
import { importsOf, isSource, isTest, resolveInside } from "../source-file.ts";
import { placeOf } from "./layers.ts";

const layers = ["contract", "domain", "server feature", "console feature"] as const;

/** In each layer the features' imports of each other have no cycle. */
export function featureGraph(files: readonly RepositoryFile[]): Problem[] {
  return layers.flatMap((layer) => {
    const edges = new Map<string, Map<string, string>>();
    for (const file of files.filter((one) => isSource(one) && !isTest(one.path))) {
      const from = placeOf(file.path);
      if (from.layer !== layer || from.feature === null) continue;
      for (const { specifier } of importsOf(file)) {
        const target = resolveInside(file.path, specifier);
        const to = target === null ? null : placeOf(target);
        if (to?.layer !== layer || to.feature === null || to.feature === from.feature) continue;
        const targets = edges.get(from.feature) ?? new Map<string, string>();
        edges.set(from.feature, targets.set(to.feature, file.path));
      }
    }
    const cycle = findCycle(edges);
    if (cycle === null) return [];
    const [first = "", second = ""] = cycle;
    return [
      {
        path: edges.get(first)?.get(second) ?? layer,
        rule: "feature graph",
        message: `the features of ${layer} import each other in a circle: ${cycle.join(" -> ")}. Move what both need into the one that is imported.`,
      },
    ];
  });
}

function findCycle(edges: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] | null {
  const done = new Set<string>();
  function visit(feature: string, trail: readonly string[]): string[] | null {
    const seenAt = trail.indexOf(feature);
    if (seenAt >= 0) return [...trail.slice(seenAt), feature];
    if (done.has(feature)) return null;
    for (const next of edges.get(feature)?.keys() ?? []) {
      const cycle = visit(next, [...trail, feature]);
      if (cycle !== null) return cycle;
    }
    done.add(feature);
    return null;
  }
  for (const feature of edges.keys()) {
    const cycle = visit(feature, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
