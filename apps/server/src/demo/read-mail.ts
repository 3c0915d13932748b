import type { Read } from "./fake-service-answers.ts";
import type { ReceivedMail } from "./smtp-sink.ts";

interface Part {
  readonly type: string;
  readonly text: string;
}

/** What a person would see of a mail; reads what Suncrew's own mailer writes. */
export function readMail({ raw, to }: ReceivedMail): Read {
  const { headers } = divided(raw);
  const parts = partsOf(raw);
  const html = parts.find(({ type }) => type === "text/html")?.text ?? null;
  const links = [...(html ?? "").matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, url = "", label = ""]) => ({
    label: unescaped(label),
    url: unescaped(url),
  }));
  return {
    to: to.join(", "),
    id: /^<([^@>]*)@/.exec(headers.get("message-id") ?? "")?.[1] ?? null,
    subject: decodedWords(headers.get("subject") ?? ""),
    text: parts.find(({ type }) => type === "text/plain")?.text ?? "",
    html,
    links,
  };
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

function divided(raw: string): { readonly headers: ReadonlyMap<string, string>; readonly body: string } {
  const end = raw.indexOf("\r\n\r\n");
  const head = (end < 0 ? raw : raw.slice(0, end)).replaceAll(/\r\n[ \t]+/g, " ");
  const headers = new Map(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: end < 0 ? "" : raw.slice(end + 4) };
}

function partsOf(raw: string): readonly Part[] {
  const { headers, body } = divided(raw);
  const contentType = headers.get("content-type") ?? "text/plain";
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary !== undefined) {
    const between = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
    return between.flatMap((part) => partsOf(part.replace(/^[ \t]*\r\n/, "")));
  }
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const bytes = decoded(body, headers.get("content-transfer-encoding")?.toLowerCase() ?? "7bit");
  return [{ type, text: bytes.toString("utf8").replaceAll("\r\n", "\n") }];
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === "base64") return Buffer.from(body, "base64");
  if (encoding === "quoted-printable") return quotedPrintable(body.replaceAll(/=\r\n/g, ""));
  return Buffer.from(body, "latin1");
}

function quotedPrintable(text: string): Buffer {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1");
}

/** Words such as `=?UTF-8?Q?...?=` (RFC 2047). */
function decodedWords(text: string): string {
  const joined = text.replaceAll(/\?=\s+=\?/g, "?==?");
  return joined.replaceAll(/=\?[^?]+\?([BQ])\?([^?]*)\?=/gi, (_all, form: string, word: string) => {
    const bytes = form.toUpperCase() === "B" ? Buffer.from(word, "base64") : quotedPrintable(word.replaceAll("_", " "));
    return bytes.toString("utf8");
  });
}
