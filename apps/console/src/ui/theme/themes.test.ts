import { readdirSync, readFileSync } from "node:fs";
import { DEFAULT_THEME, defaultCssVariablesResolver } from "@mantine/core";
import { describe, expect, test } from "vitest";
import { THEMES, type ThemeName } from "./theme-choice.ts";

/** WCAG 2.2 AA: 4.5 for text, 3 for what is not text (field borders, dots, bars, focus rings). */
const TEXT = 4.5;
const SHAPE = 3;

const TONES = ["good", "calm", "fair", "poor", "off"] as const;

/** Colours of text. A style sheet rarely says on which background, so each must be legible on every one. */
const TEXTS = [
  "text",
  "text-muted",
  "accent",
  "danger",
  "on-accent-soft",
  ...TONES.map((tone) => `status-${tone}-fg`),
  // The library's, for unobtrusive text.
  "mantine-color-gray-light-color",
];

/** Backgrounds of content: the page, cards, hovered and selected rows, notices, badges. */
const GROUNDS = [
  "bg",
  "surface",
  "surface-2",
  "accent-soft",
  "accent-soft-hover",
  ...TONES.map((tone) => `status-${tone}-soft`),
  // The library's, under the pointer.
  "mantine-color-default-hover",
  "mantine-color-gray-light-hover",
];

type Pair = readonly [foreground: string, background: string, least: number];

/** Fills that carry one text colour only, and the bar at the top, which is dark in some themes. */
const FILLED: readonly Pair[] = [
  ["on-accent", "accent-fill", TEXT],
  ["on-accent", "accent-fill-hover", TEXT],
  ["on-danger", "danger-fill", TEXT],
  ["on-danger", "danger-fill-hover", TEXT],
  ["nav-text", "nav-bg", TEXT],
  ["nav-muted", "nav-bg", TEXT],
  ["nav-text", "nav-active", TEXT],
  ["nav-on-active", "nav-active", TEXT],
  ["nav-live", "nav-bg", SHAPE],
  ["nav-mark", "nav-bg", SHAPE],
  ...["map-land", "map-sea"].flatMap((ground): Pair[] => [
    ["map-name", ground, TEXT],
    ["map-state-name", ground, TEXT],
    ["map-sea-name", ground, TEXT],
  ]),
];

/** The library's own pairs of text and background variables, which mantine-tokens.css takes from the themes. */
const LIBRARY: readonly Pair[] = [
  ...["text", "bright", "dimmed", "placeholder", "anchor", "error", "accent-text", "red-text"].map((name): Pair => [
    `mantine-color-${name}`,
    "mantine-color-body",
    TEXT,
  ]),
  ["mantine-color-default-color", "mantine-color-default", TEXT],
  ["mantine-color-default-color", "mantine-color-default-hover", TEXT],
  ["mantine-color-disabled-color", "mantine-color-disabled", TEXT],
  ["mantine-primary-color-contrast", "mantine-primary-color-filled", TEXT],
  ["mantine-primary-color-contrast", "mantine-primary-color-filled-hover", TEXT],
  ["mantine-color-text", "mantine-color-yellow-light", TEXT],
  ["status-fair-fg", "mantine-color-yellow-light", TEXT],
  ["on-danger", "mantine-color-red-filled", TEXT],
  ["on-danger", "mantine-color-red-filled-hover", TEXT],
  ...["accent", "red"].flatMap((name): Pair[] => [
    [`mantine-color-${name}-light-color`, `mantine-color-${name}-light`, TEXT],
    [`mantine-color-${name}-light-color`, `mantine-color-${name}-light-hover`, TEXT],
    [`mantine-color-${name}-light-color`, "mantine-color-body", TEXT],
    [`mantine-color-${name}-outline`, "mantine-color-body", TEXT],
    [`mantine-color-${name}-outline`, `mantine-color-${name}-outline-hover`, TEXT],
  ]),
];

const SHAPES: readonly Pair[] = [
  ...["bg", "surface", "surface-2"].flatMap((ground): Pair[] => [
    ["border-strong", ground, SHAPE],
    ["accent-fill", ground, SHAPE],
    ["danger-fill", ground, SHAPE],
    ...TONES.map((tone): Pair => [`status-${tone}-dot`, ground, SHAPE]),
  ]),
  ["border-strong", "accent-soft", SHAPE],
  ...["good", "fair", "poor"].flatMap((level): Pair[] => [
    [`battery-${level}`, "surface", SHAPE],
    [`battery-${level}`, "bg", SHAPE],
  ]),
];

const THEME_FILES = ["themes.css", "mantine-tokens.css"].map((file) =>
  readFileSync(new URL(file, import.meta.url), "utf8"),
);
const source = new URL("../../", import.meta.url);
const sheets = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".css"))
  .flatMap((file) => rulesOf(readFileSync(new URL(file, source), "utf8")));

describe.each(THEMES)("§9 Themes: %s", (theme) => {
  const colours = new Colours(theme);
  const tooPale = (pairs: readonly Pair[]) =>
    pairs
      .map(([foreground, background, least]) => {
        const found = contrast(colours.of(foreground), colours.of(background));
        return { pair: `${foreground} on ${background}`, found, least };
      })
      .filter(({ found, least }) => found < least);

  test("every text colour has AA contrast on every background", () => {
    expect(tooPale(TEXTS.flatMap((text) => GROUNDS.map((ground): Pair => [text, ground, TEXT])))).toEqual([]);
  });

  test("text on filled buttons and in the bar at the top has AA contrast", () => {
    expect(tooPale(FILLED)).toEqual([]);
  });

  test("the library's own pairs have AA contrast", () => {
    expect(tooPale(LIBRARY)).toEqual([]);
  });

  test("field borders, dots, bars and fills have AA contrast with what surrounds them", () => {
    expect(tooPale(SHAPES)).toEqual([]);
  });

  test("the map's sea is blue-grey, and its land is neither sea nor any panel", () => {
    const [red, green, blue] = colours.of("map-sea");
    expect(blue).toBeGreaterThan(green);
    expect(green).toBeGreaterThan(red);
    expect(blue - red, "grey rather than blue").toBeLessThan(50);
    const land = colours.of("map-land");
    const likeLand = ["map-sea", "bg", "surface", "surface-2"].filter(
      (ground) => distance(land, colours.of(ground)) < 10,
    );
    expect(likeLand).toEqual([]);
  });

  test("a text colour has AA contrast on the background that the same CSS rule sets", () => {
    const pairs = sheets.flatMap(({ declared }): Pair[] => {
      const [text, ground] = [variableIn(declared.get("color")), variableIn(groundOf(declared))];
      return text === null || ground === null ? [] : [[text, ground, TEXT]];
    });
    expect(pairs.length).toBeGreaterThan(15);
    expect(tooPale(pairs)).toEqual([]);
  });

  test("text has AA contrast on backgrounds mixed from two colours", () => {
    const mixed = sheets.flatMap(({ declared }) => mixesIn(groundOf(declared)));
    expect(mixed.length).toBeGreaterThan(0);
    const hardToRead = mixed.filter(({ over, share, under }) => {
      const ground = mix(colours.of(over), colours.of(under), share);
      return contrast(colours.of("text"), ground) < TEXT;
    });
    expect(hardToRead).toEqual([]);
  });
});

test("§9 Themes: every colour of a text, and of its background, is one whose contrast is computed here", () => {
  const known = [...FILLED, ...SHAPES].flatMap(([foreground, background]) => [foreground, background]);
  const texts = sheets.map(({ declared }) => variableIn(declared.get("color")));
  const grounds = sheets.map(({ declared }) => variableIn(groundOf(declared)));
  const unknown = [
    ...texts.filter((name) => name !== null && ![...TEXTS, ...known].includes(name)),
    ...grounds.filter((name) => name !== null && ![...GROUNDS, ...known].includes(name)),
  ];
  expect(unknown).toEqual([]);
});

test("§9 Themes: every colour that a style or a component names is defined in the themes", () => {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.(css|tsx?)$/.test(file));
  const named = files.flatMap((file) =>
    [...readFileSync(new URL(file, source), "utf8").matchAll(/var\((--sc-[\w-]+)|"(--sc-[\w-]+)"/g)].map(
      ([, used, told]) => used ?? told ?? "",
    ),
  );
  const defined = new Set([...THEME_FILES.join("").matchAll(/(--sc-[\w-]+):/g)].map(([, name]) => name));
  expect([...new Set(named)].filter((name) => !defined.has(name))).toEqual([]);
});

interface Rule {
  readonly selector: string;
  readonly declared: ReadonlyMap<string, string>;
}

function rulesOf(css: string): Rule[] {
  const bare = css.replaceAll(/\/\*.*?\*\//gs, "");
  return [...bare.matchAll(/([^{};]+)\{([^{}]*)\}/g)].map(([, selector = "", body = ""]) => ({
    selector: selector.trim(),
    declared: new Map([...body.matchAll(/([\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value])),
  }));
}

function groundOf(declared: Rule["declared"]): string {
  return declared.get("background-color") ?? declared.get("background") ?? "";
}

/** The theme colour that a value refers to, without its prefix; null if it is something else. */
function variableIn(value = ""): string | null {
  return /^var\(--sc-([\w-]+)\)$/.exec(value)?.[1] ?? null;
}

interface Mix {
  readonly over: string;
  readonly under: string;
  /** The share of `over` in the mix, 0 to 1. */
  readonly share: number;
}

/** If one of the two is translucent, its background may be each of the plain ones. */
function mixesIn(value: string): Mix[] {
  const [, over = "", percent, under] =
    /^color-mix\(in srgb, var\(--sc-([\w-]+)\) (\d+)%, (?:transparent|var\(--sc-([\w-]+)\))\)$/.exec(value) ?? [];
  if (percent === undefined) return [];
  const grounds = under === undefined ? ["bg", "surface", "surface-2"] : [under];
  return grounds.map((ground) => ({ over, under: ground, share: Number(percent) / 100 }));
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The colours of one theme, its own and the library's, as the browser resolves them. */
class Colours {
  readonly #values: ReadonlyMap<string, string>;

  constructor(theme: ThemeName) {
    const scheme = theme === "dark" ? "dark" : "light";
    const library = defaultCssVariablesResolver(DEFAULT_THEME);
    const own = THEME_FILES.flatMap(rulesOf).filter(({ selector }) =>
      selector.split(",").some((part) => isRootOf(part.trim(), { theme, scheme })),
    );
    this.#values = new Map([
      ...Object.entries({ ...library.variables, ...library[scheme] }),
      ...own.flatMap(({ declared }) => [...declared]),
    ]);
  }

  /** @param name without the prefix `--sc-`, or one of the library's without `--` */
  of(name: string): Rgb {
    const value = this.#values.get(`--sc-${name}`) ?? this.#values.get(`--${name}`);
    if (value === undefined) throw new Error(`No colour is named ${name}.`);
    const [, other] = /^var\(--(?:sc-)?([\w-]+)\)$/.exec(value) ?? [];
    return other === undefined ? parsed(value) : this.of(other);
  }
}

/** Whether a selector is that of the whole page in this theme. */
function isRootOf(selector: string, { theme, scheme }: { readonly theme: string; readonly scheme: string }): boolean {
  if (!/^:root(\[[^\]]+\])*$/.test(selector)) return false;
  const wanted = [...selector.matchAll(/\[([\w-]+)="(\w+)"\]/g)];
  return wanted.every(([, attribute, value]) => value === (attribute === "data-theme" ? theme : scheme));
}

function parsed(value: string): Rgb {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(value);
  const rgb = hex?.slice(1).map((part) => Number.parseInt(part, 16)) ?? opaque(value);
  const [red, green, blue] = rgb;
  if (red === undefined || green === undefined || blue === undefined) throw new Error(`${value} is no opaque colour.`);
  return [red, green, blue];
}

function opaque(value: string): number[] {
  return /^rgba\((\d+), (\d+), (\d+), 1\)$/.exec(value)?.slice(1).map(Number) ?? [];
}

function mix(over: Rgb, under: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => over[at] * share + under[at] * (1 - share);
  return [part(0), part(1), part(2)];
}

/** Between two colours, in their values of 0 to 255. */
function distance(one: Rgb, other: Rgb): number {
  return Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
}

/** Contrast ratio of WCAG 2.2, 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of WCAG 2.2. */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
