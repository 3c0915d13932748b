/** The layers, from docs/architecture.md: each folder is one, and says what it may import. */
export type Layer =
  | "contract"
  | "domain"
  | "server platform"
  | "server feature"
  | "server composition"
  | "server test"
  | "console ui"
  | "console platform"
  | "console feature"
  | "console app"
  | "console test"
  | "simulator"
  | "e2e"
  | "bench"
  | "tools"
  | "root";

export interface Place {
  readonly layer: Layer;
  /** The specification's noun, in layers that have one folder for each. */
  readonly feature: string | null;
}

const folders: readonly (readonly [RegExp, Layer])[] = [
  [/^packages\/contract\/src\/(?:([a-z0-9-]+)\/)?/, "contract"],
  [/^packages\/domain\/src\/(?:([a-z0-9-]+)\/)?/, "domain"],
  [/^apps\/server\/src\/platform\//, "server platform"],
  [/^apps\/server\/src\/features\/([a-z0-9-]+)\//, "server feature"],
  [/^apps\/server\/src\//, "server composition"],
  [/^apps\/server\/test\//, "server test"],
  [/^apps\/console\/src\/ui\//, "console ui"],
  [/^apps\/console\/src\/platform\//, "console platform"],
  [/^apps\/console\/src\/features\/([a-z0-9-]+)\//, "console feature"],
  [/^apps\/console\/src\//, "console app"],
  [/^apps\/console\/test\//, "console test"],
  [/^apps\/simulator\//, "simulator"],
  [/^e2e\//, "e2e"],
  [/^bench\//, "bench"],
  [/^tools\//, "tools"],
];

/** The layer that a file belongs to. */
export function placeOf(path: string): Place {
  for (const [folder, layer] of folders) {
    const match = folder.exec(path);
    if (match !== null) return { layer, feature: match[1] ?? null };
  }
  return { layer: "root", feature: null };
}

/** What each layer may import from the others; its own files always. */
export const mayImport: Readonly<Record<Layer, readonly Layer[]>> = {
  contract: [],
  domain: ["contract"],
  "server platform": ["contract"],
  "server feature": ["contract", "domain", "server platform"],
  "server composition": ["contract", "domain", "server platform", "server feature"],
  "server test": ["contract", "domain", "server platform", "server feature", "server composition", "simulator"],
  "console ui": [],
  "console platform": ["contract", "console ui"],
  "console feature": ["contract", "domain", "console ui", "console platform"],
  "console app": ["contract", "domain", "console ui", "console platform", "console feature"],
  "console test": ["contract", "domain", "console ui", "console platform", "console feature", "console app"],
  simulator: ["contract"],
  e2e: ["contract", "simulator"],
  bench: [
    "contract",
    "domain",
    "simulator",
    "e2e",
    "server platform",
    "server feature",
    "server composition",
    "server test",
  ],
  tools: ["contract", "domain"],
  root: [],
};
