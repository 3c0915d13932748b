import type { ChannelKind } from "@suncrew/contract/notifications/contact-points.ts";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { Clock } from "../platform/clock.ts";
import { type FakeService, fakeServices, type Misbehaviour, type Read } from "./fake-service-answers.ts";
import { readMail } from "./read-mail.ts";
import { listenAt, SmtpSink } from "./smtp-sink.ts";

/** What a service received, and what a person would see of it. */
export interface ReceivedMessage extends Read {
  readonly channel: ChannelKind;
  readonly at: Date;
  /** The body, or the mail with its headers. */
  readonly raw: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface FakeServicesOptions {
  readonly clock: Clock;
  readonly onMessage?: (message: ReceivedMessage) => void;
  /** Where they are taken, and by default, any free ones. */
  readonly port?: number;
  readonly smtpPort?: number;
}

/**
 * Stands in for the services of all channels, each with the answers that it documents, at addresses of this machine: for
 * tests, and for the demo, in which everything can be tried without an account.
 */
export class FakeServices {
  readonly #http: Server;
  readonly #smtp: SmtpSink;
  readonly #options: FakeServicesOptions;
  readonly #misbehaving = new Map<ChannelKind, Misbehaviour>();
  readonly #onRequest = new Map<ChannelKind, () => void>();

  private constructor(smtp: SmtpSink, options: FakeServicesOptions) {
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#smtp = smtp;
    this.#options = options;
    smtp.onMail = (mail) => {
      this.#pass({ channel: "EMAIL", raw: mail.raw, headers: {}, ...readMail(mail) });
    };
  }

  static async open(options: FakeServicesOptions): Promise<FakeServices> {
    const services = new FakeServices(await SmtpSink.open(options.smtpPort), options);
    await listenAt(services.#http, options.port ?? 0);
    return services;
  }

  /** Slack, Teams and webhooks accept any further path, which is the recipient's name. */
  get urls() {
    const base = `http://127.0.0.1:${this.port}`;
    return {
      slack: `${base}/slack`,
      teams: `${base}/teams`,
      webhook: `${base}/webhook`,
      /** Takes webhooks' calls without passing them on as messages. */
      events: `${base}/events`,
      telegramApi: `${base}/telegram`,
      whatsappApi: `${base}/whatsapp`,
      smtp: `smtp://127.0.0.1:${this.#smtp.port}`,
    };
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get smtpPort(): number {
    return this.#smtp.port;
  }

  /** Until it is told otherwise; null: as documented. */
  misbehave(channel: ChannelKind, how: Misbehaviour | null): void {
    if (how === null) this.#misbehaving.delete(channel);
    else this.#misbehaving.set(channel, how);
    if (channel !== "EMAIL") return;
    this.#smtp.refuses = how === "REFUSING" ? "everybody" : [];
    this.#smtp.failsWith =
      how === "RATE_LIMITED"
        ? "452 4.7.1 too many mails, try again later"
        : how === "FAILING"
          ? "451 4.3.0 a problem of its own"
          : null;
    this.#smtp.holds = how === "SLOW" ? () => this.#onRequest.get("EMAIL")?.() : null;
    this.#smtp.cutsAt = how === "CUT" ? "END" : null;
  }

  /** Called once the whole of a request has arrived at a service that is SLOW. */
  onHeld(channel: ChannelKind, held: () => void): void {
    this.#onRequest.set(channel, held);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
    await Promise.all([once(this.#http, "close"), this.#smtp.close()]);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request).catch(() => null);
    // The caller has gone.
    if (body === null) return;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const service = fakeServices.find(({ path }) => pathname.startsWith(`${path}/`));
    if (service === undefined || request.method !== "POST") {
      response.writeHead(404).end();
      return;
    }
    const { channel } = service;
    const how = this.#misbehaving.get(channel);
    if (how === "SLOW") {
      this.#onRequest.get(channel)?.();
      return;
    }
    if (how !== undefined && how !== "CUT") {
      const { status, headers = {}, body: answer } = service.misbehaving[how];
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(answer);
      return;
    }
    this.#answer(service, { pathname, body, headers: request.headers, cut: how === "CUT" }, response);
  }

  #answer(
    service: FakeService,
    call: {
      readonly pathname: string;
      readonly body: string;
      readonly headers: IncomingMessage["headers"];
      readonly cut: boolean;
    },
    response: ServerResponse,
  ): void {
    const { pathname, body, headers, cut } = call;
    const answer = service.receive({ rest: pathname.slice(service.path.length + 1), body, headers });
    if (answer.read !== null) this.#pass({ channel: service.channel, raw: body, headers, ...answer.read });
    if (cut) {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
      return;
    }
    response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
  }

  #pass(message: Omit<ReceivedMessage, "at">): void {
    this.#options.onMessage?.({ ...message, at: this.#options.clock.now() });
  }
}
