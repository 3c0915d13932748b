import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as fontkit from "fontkit";

/** SEMIBOLD is for headings and figures. */
export type Weight = "REGULAR" | "SEMIBOLD";

export interface FontFace {
  /** Its name among the resources of a page. */
  readonly id: string;
  readonly font: fontkit.Font;
}

const require = createRequire(import.meta.url);
const folders = { REGULAR: "400Regular", SEMIBOLD: "600SemiBold" } as const;

/**
 * Noto Sans (SIL Open Font License), one file for each script. The scripts of India lie in Unicode in blocks of 128
 * from U+0900 on, in this order.
 */
const LATIN = "NotoSans";
const INDIC_START = 0x0900;
const indicFiles = [
  "NotoSansDevanagari",
  "NotoSansBengali",
  "NotoSansGurmukhi",
  "NotoSansGujarati",
  "NotoSansOriya",
  "NotoSansTamil",
  "NotoSansTelugu",
  "NotoSansKannada",
  "NotoSansMalayalam",
] as const;

/** Read when they are first wanted, once for all documents: reading their tables takes a tenth of a second. */
const loaded = new Map<string, FontFace>();

export function latinFace(weight: Weight): FontFace {
  return face(LATIN, weight);
}

/** Null where the character belongs to no script of India. */
export function indicFace(codePoint: number, weight: Weight): FontFace | null {
  const file = indicFiles[Math.floor((codePoint - INDIC_START) / 128)];
  return file === undefined ? null : face(file, weight);
}

function face(file: string, weight: Weight): FontFace {
  const id = `${file}-${weight}`;
  const known = loaded.get(id);
  if (known !== undefined) return known;
  const pack = file.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
  const folder = folders[weight];
  const opened = fontkit.create(
    readFileSync(require.resolve(`@expo-google-fonts/${pack}/${folder}/${file}_${folder}.ttf`)),
  );
  if (!("layout" in opened)) throw new Error(`${file} is a collection of fonts`);
  const made = { id, font: opened };
  loaded.set(id, made);
  return made;
}
