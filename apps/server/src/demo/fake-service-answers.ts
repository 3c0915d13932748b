import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { webhookCallSchema } from "@suncrew/contract/notifications/webhook-call.ts";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

/** RATE_LIMITED asks to wait 7 s; SLOW never answers; CUT takes the message, and hangs up within its answer. */
export type Misbehaviour = "RATE_LIMITED" | "SLOW" | "FAILING" | "CUT" | "REFUSING";

/** What a person would see of a message. */
export interface Read {
  readonly to: string;
  /** Of the delivery, where its service carries it. */
  readonly id: string | null;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  readonly links: readonly Link[];
}
interface Link {
  readonly label: string;
  readonly url: string;
}

interface Call {
  /** The path below that of the service. */
  readonly rest: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Null where the message was not accepted. */
  readonly read: Read | null;
}

interface BadAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FakeService {
  readonly channel: ChannelKind;
  readonly path: string;
  readonly misbehaving: Readonly<Record<Exclude<Misbehaviour, "SLOW" | "CUT">, BadAnswer>>;
  /** Answers as the service documents it, and refuses what it would refuse. */
  receive(call: Call): Answer;
}

const WAIT = { "retry-after": "7" };
const json = (status: number, value: unknown, read: Read | null = null): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
  read,
});
const plain = (status: number, body: string, read: Read | null = null): Answer => ({
  status,
  type: "text/plain",
  body,
  read,
});

function parse<S extends z.ZodType>(schema: S, body: string): z.output<S> | null {
  try {
    return schema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

const nameOf = (rest: string): string => decodeURIComponent(rest.split("/").at(-1) ?? "");
const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
/** The links of a text, where `link` finds address and label, and the text with their labels only. */
function withoutLinks(text: string, link: RegExp): { readonly text: string; readonly links: Link[] } {
  const links = [...text.matchAll(link)].map(({ groups }) => ({
    label: unescaped(groups?.["label"] ?? ""),
    url: unescaped(groups?.["url"] ?? ""),
  }));
  return { text: text.replaceAll(link, "$<label>"), links };
}

// Slack

const slackText = z.object({ type: z.enum(["plain_text", "mrkdwn"]), text: z.string().min(1).max(3000) });
const slackSchema = z.object({
  text: z.string().min(1),
  blocks: z
    .array(
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("header"), text: slackText.extend({ text: z.string().min(1).max(150) }) }),
        z.object({ type: z.literal("section"), text: slackText }),
        z.object({ type: z.literal("context"), elements: z.array(slackText).min(1).max(10) }),
      ]),
    )
    .max(50),
});

const slack: FakeService = {
  channel: "SLACK",
  path: "/slack",
  misbehaving: {
    RATE_LIMITED: { status: 429, headers: WAIT, body: "rate_limited" },
    FAILING: { status: 500, body: "rollup_error" },
    REFUSING: { status: 404, body: "no_service" },
  },
  receive({ rest, body }) {
    const sent = parse(slackSchema, body);
    if (sent === null) return plain(400, "invalid_payload");
    const [header, ...others] = sent.blocks.map((block) =>
      block.type === "context" ? block.elements.map(({ text }) => text).join(" ") : block.text.text,
    );
    const { text, links } = withoutLinks(others.join("\n"), /<(?<url>https?:[^|>]+)\|(?<label>[^>]*)>/g);
    const read = { id: null, to: nameOf(rest), subject: header ?? sent.text, text: unescaped(text), html: null, links };
    return plain(200, "ok", read);
  },
};

// Microsoft Teams

const openUrl = z.object({ type: z.literal("Action.OpenUrl"), title: z.string(), url: z.url() });
const run = z.object({ type: z.literal("TextRun"), text: z.string().min(1), selectAction: openUrl.optional() });
const teamsSchema = z.object({
  type: z.literal("message"),
  attachments: z
    .array(
      z.object({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        content: z.object({
          type: z.literal("AdaptiveCard"),
          version: z.string(),
          body: z.array(z.object({ type: z.literal("RichTextBlock"), inlines: z.array(run) })),
          actions: z.array(openUrl),
        }),
      }),
    )
    .length(1),
});
const TEAMS_MAX_BYTES = 28 * 1024;

const teams: FakeService = {
  channel: "TEAMS",
  path: "/teams",
  misbehaving: {
    RATE_LIMITED: { status: 429, headers: WAIT, body: '{"error":{"code":"TooManyRequests"}}' },
    FAILING: { status: 500, body: '{"error":{"code":"InternalServerError"}}' },
    REFUSING: { status: 404, body: '{"error":{"code":"WorkflowNotFound"}}' },
  },
  receive({ rest, body }) {
    const sent = parse(teamsSchema, body);
    const content = sent?.attachments[0]?.content;
    if (content === undefined || Buffer.byteLength(body) > TEAMS_MAX_BYTES) {
      return json(400, { error: { code: "TriggerInputSchemaMismatch" } });
    }
    const [subject = null, ...told] = content.body.map(({ inlines }) => inlines.map(({ text }) => text).join(""));
    const inText = content.body.flatMap(({ inlines }) =>
      inlines.flatMap(({ text, selectAction: action }) =>
        action === undefined ? [] : [{ label: text, url: action.url }],
      ),
    );
    const links = [...inText, ...content.actions.map(({ title, url }) => ({ label: title, url }))];
    return plain(202, "", { id: null, to: nameOf(rest), subject, text: told.join("\n"), html: null, links });
  },
};

// Telegram

const telegramSchema = z.object({
  chat_id: z.union([z.string().min(1), z.int()]),
  text: z.string().min(1),
  parse_mode: z.literal("HTML"),
});
const telegramFailure = (error_code: number, description: string, parameters?: object) => ({
  ok: false,
  error_code,
  description,
  ...(parameters !== undefined && { parameters }),
});
const tooMany = telegramFailure(429, "Too Many Requests: retry after 7", { retry_after: 7 });
const blocked = telegramFailure(403, "Forbidden: bot was blocked by the user");
let telegramMessages = 0;

const telegram: FakeService = {
  channel: "TELEGRAM",
  path: "/telegram",
  misbehaving: {
    RATE_LIMITED: { status: 429, body: JSON.stringify(tooMany) },
    FAILING: { status: 500, body: JSON.stringify(telegramFailure(500, "Internal Server Error")) },
    REFUSING: { status: 403, body: JSON.stringify(blocked) },
  },
  receive({ rest, body }) {
    if (!/^bot\d+:[\w-]+\/sendMessage$/.test(rest)) return json(404, telegramFailure(404, "Not Found"));
    const sent = parse(telegramSchema, body);
    if (sent === null) return json(400, telegramFailure(400, "Bad Request: message text is empty"));
    const { text, links } = withoutLinks(sent.text, /<a href="(?<url>[^"]*)">(?<label>[^<]*)<\/a>/g);
    const stripped = text.replaceAll(/<\/?[bi]>/g, "");
    if (/[<>]/.test(stripped)) return json(400, telegramFailure(400, "Bad Request: can't parse entities"));
    const [subject = "", ...told] = unescaped(stripped).split("\n\n");
    if (unescaped(stripped).length > 4096) return json(400, telegramFailure(400, "Bad Request: message is too long"));
    telegramMessages += 1;
    const read = { id: null, to: String(sent.chat_id), subject, text: told.join("\n\n"), html: null, links };
    return json(200, { ok: true, result: { message_id: telegramMessages } }, read);
  },
};

// WhatsApp

const whatsappSchema = z.object({
  messaging_product: z.literal("whatsapp"),
  to: z.string().regex(/^\d{7,15}$/),
  type: z.literal("template"),
  template: z.object({
    name: z.string(),
    language: z.object({ code: z.string() }),
    components: z
      .array(
        z.object({
          type: z.literal("body"),
          parameters: z.array(z.object({ type: z.literal("text"), text: z.string().min(1) })).length(3),
        }),
      )
      .length(1),
  }),
  biz_opaque_callback_data: z.string().max(512).optional(),
});
const whatsappFailure = (code: number, message: string) => ({
  error: { message: `(#${code}) ${message}`, type: "OAuthException", code, fbtrace_id: "fake" },
});

const whatsapp: FakeService = {
  channel: "WHATSAPP",
  path: "/whatsapp",
  misbehaving: {
    RATE_LIMITED: { status: 429, headers: WAIT, body: JSON.stringify(whatsappFailure(130429, "Rate limit hit")) },
    FAILING: { status: 500, body: JSON.stringify(whatsappFailure(131000, "Something went wrong")) },
    REFUSING: { status: 400, body: JSON.stringify(whatsappFailure(131026, "Message undeliverable")) },
  },
  receive({ rest, body, headers }) {
    if (!/^\d+\/messages$/.test(rest)) return json(400, whatsappFailure(33, "Parameter value is not valid"));
    if (!/^Bearer \S+$/.test(headers.authorization ?? ""))
      return json(401, whatsappFailure(190, "Access token invalid"));
    const sent = parse(whatsappSchema, body);
    if (sent === null) return json(400, whatsappFailure(100, "Invalid parameter"));
    const [subject = "", text = "", linked = ""] =
      sent.template.components[0]?.parameters.map((each) => each.text) ?? [];
    if (/[\n\t]| {5}/.test([subject, text, linked].join("|")) || subject.length + text.length + linked.length > 1024) {
      return json(400, whatsappFailure(132018, "Parameters of the template have line ends, tabs or are too long"));
    }
    const id = sent.biz_opaque_callback_data ?? null;
    const links = [...linked.matchAll(/(?:(\w+): )?(https?:\S+)/g)].map(([, label = "Open", url = ""]) => ({
      label,
      url,
    }));
    const read = { id, to: `+${sent.to}`, subject, text, html: null, links };
    const message = { id: `wamid.${id ?? "fake"}`, message_status: "accepted" };
    return json(200, { messaging_product: "whatsapp", contacts: [{ input: sent.to }], messages: [message] }, read);
  },
};

// Standard Webhooks

const webhook: FakeService = {
  channel: "WEBHOOK",
  path: "/webhook",
  misbehaving: {
    RATE_LIMITED: { status: 429, headers: WAIT, body: "" },
    FAILING: { status: 500, body: "" },
    REFUSING: { status: 410, body: "" },
  },
  receive({ rest, body, headers }) {
    const id = headers["webhook-id"];
    const signed = headers["webhook-signature"];
    if (typeof id !== "string" || typeof signed !== "string" || headers["webhook-timestamp"] === undefined) {
      return plain(400, "not signed");
    }
    const call = parse(webhookCallSchema, body);
    // Other events have other bodies.
    if (call === null)
      return plain(204, "", { id, to: nameOf(rest), subject: null, text: body, html: null, links: [] });
    const { title, text, url, acknowledge_url } = call.data;
    const links = [
      ...(url === null ? [] : [{ label: "Open", url }]),
      ...(acknowledge_url === null ? [] : [{ label: "Acknowledge", url: acknowledge_url }]),
    ];
    return plain(204, "", { id, to: nameOf(rest), subject: title, text, html: null, links });
  },
};

/** A program that is told of events: nobody reads them one by one. */
const events: FakeService = {
  ...webhook,
  path: "/events",
  receive: (call) => ({ ...webhook.receive(call), read: null }),
};

export const fakeServices: readonly FakeService[] = [slack, teams, telegram, whatsapp, webhook, events];
