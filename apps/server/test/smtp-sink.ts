import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A mail as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as received. */
  readonly raw: string;
}

/** A local mail server that accepts mail, keeps it, and refuses what the test says. */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  /** Unknown recipients. */
  refuses: readonly string[] = [];
  /** The reply at the end of a mail, instead of accepting it. */
  failsWith: string | null = null;
  /** Called at the end of a mail instead of replying. */
  holds: (() => void) | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async open(): Promise<SmtpSink> {
    const sink = new SmtpSink();
    const listening = Promise.withResolvers<void>();
    sink.#server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    return sink;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when all current connections have closed. */
  async left(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => once(socket, "close")));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    await closed.promise;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    const say = (line: string) => void socket.write(`${line}\r\n`);
    let from = "";
    let to: string[] = [];
    let unread = "";
    let inData = false;
    say("220 sink");
    socket.setEncoding("latin1").on("data", (text: string) => {
      unread += text;
      for (;;) {
        const end = inData ? "\r\n.\r\n" : "\r\n";
        const at = unread.indexOf(end);
        if (at < 0) return;
        const whole = unread.slice(0, at);
        unread = unread.slice(at + end.length);
        if (inData) {
          inData = false;
          if (this.holds !== null) {
            this.holds();
            continue;
          }
          if (this.failsWith === null) this.mails.push({ from, to, raw: whole.replaceAll("\r\n..", "\r\n.") });
          say(this.failsWith ?? "250 taken");
          continue;
        }
        const address = /<([^>]*)>/.exec(whole)?.[1] ?? "";
        switch (whole.slice(0, 4).toUpperCase()) {
          case "EHLO":
            say("250 sink");
            break;
          case "MAIL":
            [from, to] = [address, []];
            say("250 ok");
            break;
          case "RCPT":
            if (this.refuses.includes(address)) say("550 5.1.1 nobody has this address");
            else {
              to.push(address);
              say("250 ok");
            }
            break;
          case "DATA":
            inData = true;
            say("354 go on");
            break;
          case "STAR":
            say("502 no encryption here");
            break;
          case "QUIT":
            say("221 bye");
            socket.end();
            break;
          default:
            say("250 ok");
        }
      }
    });
  }
}

/** The bytes of the first attachment. */
export function attachmentOf({ raw }: ReceivedMail): Buffer {
  const part = raw.split("Content-Disposition: attachment")[1] ?? "";
  const [, base64 = ""] = /\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(part) ?? [];
  return Buffer.from(base64, "base64");
}
