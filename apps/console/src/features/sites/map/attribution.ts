/** A piece of the tiles' attribution: text, or a link if the service requires one. */
export interface AttributionPart {
  readonly text: string;
  readonly href: string | null;
}

const LINK = /<a\b[^>]*?\bhref\s*=\s*(["'])(.*?)\1[^>]*>(.*?)<\/a>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  "&copy;": "©",
  "&amp;": "&",
  "&nbsp;": " ",
  "&lt;": "<",
  "&gt;": ">",
};

/** Extracts the text and the web links from an attribution that may be HTML; none of its markup reaches the page. */
export function attributionParts(attribution: string): readonly AttributionPart[] {
  const parts: AttributionPart[] = [];
  let from = 0;
  for (const link of attribution.matchAll(LINK)) {
    push(parts, attribution.slice(from, link.index), null);
    push(parts, link[3] ?? "", webAddress(link[2] ?? ""));
    from = link.index + link[0].length;
  }
  push(parts, attribution.slice(from), null);
  return parts;
}

function push(parts: AttributionPart[], markup: string, href: string | null): void {
  const text = markup.replace(/<[^>]*>/g, "").replace(/&\w+;/g, (entity) => ENTITIES[entity.toLowerCase()] ?? entity);
  if (text !== "") parts.push({ text, href });
}

function webAddress(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
