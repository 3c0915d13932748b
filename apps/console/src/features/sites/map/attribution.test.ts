import { expect, test } from "vitest";
import { attributionParts } from "./attribution.ts";

test.each([
  ["Plain words", [{ text: "Plain words", href: null }]],
  [
    '&copy; <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors',
    [
      { text: "© ", href: null },
      { text: "OpenStreetMap", href: "https://www.openstreetmap.org/copyright" },
      { text: " contributors", href: null },
    ],
  ],
  ["<a href='javascript:alert(1)'>Tiles</a>", [{ text: "Tiles", href: null }]],
  ["<img src=x onerror=alert(1)>Tiles", [{ text: "Tiles", href: null }]],
  ["", []],
])("§7 Map tiles: the attribution %s is text and web links only", (attribution, parts) => {
  expect(attributionParts(attribution)).toEqual(parts);
});
