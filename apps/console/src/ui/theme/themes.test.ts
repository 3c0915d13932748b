import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { THEMES } from "./theme-choice.ts";

const css = readFileSync(new URL("themes.css", import.meta.url), "utf8");

/** WCAG 2.2 AA: 4.5 for text, 3 for what is not text (borders of fields, dots, bars, focus rings). */
const TEXT = 4.5;
const SHAPE = 3;

const GROUNDS = ["bg", "surface", "surface-2"] as const;
const TONES = ["good", "calm", "fair", "poor", "off"] as const;

const PAIRS: readonly (readonly [foreground: string, background: string, least: number])[] = [
  ...GROUNDS.flatMap((ground) => [
    ["text", ground, TEXT] as const,
    ["text-muted", ground, TEXT] as const,
    ["accent", ground, TEXT] as const,
    ["danger", ground, TEXT] as const,
  ]),
  ["border-strong", "surface", SHAPE],
  ["border-strong", "bg", SHAPE],
  ["on-accent", "accent-fill", TEXT],
  ["on-accent", "accent-fill-hover", TEXT],
  ["on-accent-soft", "accent-soft", TEXT],
  ["on-accent-soft", "accent-soft-hover", TEXT],
  ["text", "accent-soft", TEXT],
  ["text-muted", "accent-soft", TEXT],
  ["on-danger", "danger-fill", TEXT],
  ["on-danger", "danger-fill-hover", TEXT],
  ["nav-text", "nav-bg", TEXT],
  ["nav-muted", "nav-bg", TEXT],
  ["nav-on-active", "nav-active", TEXT],
  ...TONES.flatMap((tone) => [
    [`status-${tone}-fg`, `status-${tone}-soft`, TEXT] as const,
    [`status-${tone}-fg`, "surface", TEXT] as const,
    [`status-${tone}-dot`, "surface", SHAPE] as const,
    [`status-${tone}-dot`, "bg", SHAPE] as const,
  ]),
  ...["good", "fair", "poor"].map((level) => [`battery-${level}`, "surface", SHAPE] as const),
];

describe.each(THEMES)("§9 Themes: %s", (theme) => {
  const colours = coloursOf(theme);

  test.each(PAIRS)("%s on %s has the contrast of AA", (foreground, background, least) => {
    expect(contrast(colour(colours, foreground), colour(colours, background))).toBeGreaterThanOrEqual(least);
  });
});

/** The variables of a theme: those of every theme, overridden by its own. */
function coloursOf(theme: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, selector = "", body = ""] of css.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    const forAll = selector.includes(":root") && !selector.includes("[data-theme=");
    if (!forAll && !selector.includes(`[data-theme="${theme}"]`)) continue;
    for (const [, name = "", value = ""] of body.matchAll(/--sc-([\w-]+):\s*(#[0-9a-f]{6});/g)) found.set(name, value);
  }
  return found;
}

function colour(colours: ReadonlyMap<string, string>, name: string): string {
  const value = colours.get(name);
  if (value === undefined) throw new Error(`No colour is named ${name}.`);
  return value;
}

/** Contrast ratio of WCAG 2.2, 1 to 21. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG 2.2 of `#rrggbb`. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("§9 Themes: every colour that a style or a component names is defined in the themes", () => {
  const source = new URL("../../", import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.(css|tsx?)$/.test(file));
  const named = files.flatMap((file) =>
    [...readFileSync(new URL(file, source), "utf8").matchAll(/var\((--sc-[\w-]+)|"(--sc-[\w-]+)"/g)].map(
      ([, used, told]) => used ?? told ?? "",
    ),
  );
  const defined = new Set([...css.matchAll(/(--sc-[\w-]+):/g)].map(([, name]) => name));
  expect([...new Set(named)].filter((name) => !defined.has(name))).toEqual([]);
});
