import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A call as the receiver got it. */
export interface ReceivedCall {
  readonly id: string;
  readonly type: string;
  readonly serial: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A program elsewhere that gets events: answers 204, or as the test says. */
export class WebhookReceiver {
  readonly calls: ReceivedCall[] = [];
  /** A status with headers, or null to end the connection without an answer; may wait. */
  answer: (call: ReceivedCall) => Answer | Promise<Answer> = () => ({ status: 204 });
  /** Calls in progress, and the most of them so far. */
  busy = 0;
  busiest = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await once(receiver.#server.listen(0, "127.0.0.1"), "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/events?key=of-the-receiver`;
  }

  /** The types of what it has got, in order. */
  types(serial?: string): string[] {
    return this.calls.filter((each) => serial === undefined || each.serial === serial).map(({ type }) => type);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.busy += 1;
    this.busiest = Math.max(this.busiest, this.busy);
    try {
      const body = await text(request);
      const { type, data } = JSON.parse(body) as { type: string; data: { robot?: { serial_number: string } | null } };
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const id = headers["webhook-id"] ?? "";
      const call = { id, type, serial: data.robot?.serial_number ?? null, headers, body };
      this.calls.push(call);
      const answer = await this.answer(call);
      if (answer === null) response.destroy();
      else response.writeHead(answer.status, answer.headers).end();
    } finally {
      this.busy -= 1;
    }
  }
}

type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | null;
