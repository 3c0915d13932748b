import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { hasCode } from "../platform/errors.ts";

/** A mail as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as received. */
  readonly raw: string;
}

/** A demo runs for weeks. */
const MAX_MAILS = 500;

/** Listens for programs of this machine only; at any free port where the preferred one is taken. */
export async function listenAt(server: Server, preferred: number): Promise<void> {
  try {
    await once(server.listen(preferred, "127.0.0.1"), "listening");
  } catch (error) {
    if (!hasCode(error, "EADDRINUSE", "EACCES")) throw error;
    await once(server.listen(0, "127.0.0.1"), "listening");
  }
}

/** A local mail server that accepts mail, keeps it, and refuses what it is told to: for tests and for the demo. */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  /** Unknown recipients. */
  refuses: readonly string[] | "everybody" = [];
  /** The reply at the end of a mail, instead of accepting it. */
  failsWith: string | null = null;
  /** Called at the end of a mail instead of replying. */
  holds: (() => void) | null = null;
  /** Hangs up without a reply: when called, at a command, within a mail, or once it has taken one. */
  cutsAt: "CALL" | "EHLO" | "MAIL" | "RCPT" | "DATA" | "BODY" | "END" | null = null;
  /** Takes calls and says nothing. */
  isMute = false;
  /** Called with each mail, before the reply. */
  onMail: ((mail: ReceivedMail) => void) | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async open(port = 0): Promise<SmtpSink> {
    const sink = new SmtpSink();
    await listenAt(sink.#server, port);
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

  #take(mail: ReceivedMail): void {
    if (this.mails.push(mail) > MAX_MAILS) this.mails.shift();
    this.onMail?.(mail);
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    const say = (line: string) => void socket.write(`${line}\r\n`);
    let from = "";
    let to: string[] = [];
    let unread = "";
    let inData = false;
    if (this.cutsAt === "CALL") {
      socket.destroy();
      return;
    }
    if (!this.isMute) say("220 sink");
    socket.setEncoding("latin1").on("data", (text: string) => {
      if (inData && this.cutsAt === "BODY") {
        socket.destroy();
        return;
      }
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
          if (this.failsWith === null) this.#take({ from, to, raw: whole.replaceAll("\r\n..", "\r\n.") });
          if (this.cutsAt === "END") {
            socket.destroy();
            return;
          }
          say(this.failsWith ?? "250 taken");
          continue;
        }
        const address = /<([^>]*)>/.exec(whole)?.[1] ?? "";
        const command = whole.slice(0, 4).toUpperCase();
        if (command === this.cutsAt) {
          socket.destroy();
          return;
        }
        switch (command) {
          case "EHLO":
            say("250 sink");
            break;
          case "MAIL":
            [from, to] = [address, []];
            say("250 ok");
            break;
          case "RCPT":
            if (this.refuses === "everybody" || this.refuses.includes(address))
              say("550 5.1.1 nobody has this address");
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
