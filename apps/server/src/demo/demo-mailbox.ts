import type { DemoMessage, demoMessages } from "@suncrew/contract/notifications/deliveries.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { DemoMailbox } from "../features/notifications/public.ts";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/database/database.ts";
import type { SmtpSettings } from "../platform/mailer.ts";
import {
  DEMO_CHAT,
  DEMO_PHONE,
  moveAddresses,
  readPorts,
  seedNotifications,
  storePorts,
} from "./demo-notifications.repository.ts";
import { FakeServices, type ReceivedMessage } from "./fake-services.ts";

/** Kept where they are free, so that addresses stay as people noted them. */
const PREFERRED_PORTS = { port: 3025, smtpPort: 2525 };
/** A demo runs for weeks. */
const MAX_MESSAGES = 500;

interface OpenMailbox extends DemoMailbox {
  readonly urls: FakeServices["urls"];
  close(): Promise<void>;
}

interface MailboxOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretKey: string;
}

/** The services that the demo's contact points name, and what they have received since the start. */
class ReceivedMessages {
  readonly #messages: DemoMessage[] = [];
  #services: FakeServices | null = null;
  #lastId = 0;

  async open(clock: Clock, ports: typeof PREFERRED_PORTS): Promise<FakeServices> {
    this.#services = await FakeServices.open({ clock, ...ports, onMessage: (message) => this.#keep(message) });
    return this.#services;
  }

  read(): ResponseOf<typeof demoMessages> {
    return { messages: [...this.#messages], addresses: this.#services === null ? [] : addressesOf(this.#services) };
  }

  #keep({ channel, to, at, subject, text, html, links }: ReceivedMessage): void {
    this.#lastId += 1;
    const message = { id: this.#lastId, channel, to, at: at.toISOString(), subject, text, html, links: [...links] };
    this.#messages.unshift(message);
    this.#messages.length = Math.min(this.#messages.length, MAX_MESSAGES);
  }
}

function addressesOf({ urls }: FakeServices): ResponseOf<typeof demoMessages>["addresses"] {
  return [
    { channel: "EMAIL", address: "anybody@suncrew.example" },
    { channel: "SLACK", address: `${urls.slack}/night-watch` },
    { channel: "TEAMS", address: `${urls.teams}/night-watch` },
    { channel: "TELEGRAM", address: DEMO_CHAT },
    { channel: "WHATSAPP", address: DEMO_PHONE },
    { channel: "WEBHOOK", address: `${urls.webhook}/night-watch` },
  ];
}

/**
 * Opens the services at the addresses that the demo's contact points have, or else moves those. A demo that has none
 * gets contact points and rules, once.
 */
export async function openDemoMailbox({ db, clock, secretKey }: MailboxOptions): Promise<OpenMailbox> {
  const known = await readPorts(db);
  const received = new ReceivedMessages();
  const services = await received.open(clock, known ?? PREFERRED_PORTS);
  const { urls, port, smtpPort } = services;
  const mail: SmtpSettings = {
    host: "127.0.0.1",
    port: smtpPort,
    secure: false,
    requireTls: false,
    user: null,
    password: null,
    from: { name: "Suncrew", address: "suncrew@suncrew.example" },
  };
  const deps = { db, clock, settings: { secretKey } };
  if (known === null) await seedNotifications(deps, urls);
  else if (known.port !== port) await moveAddresses(deps, known.port, port);
  await storePorts(db, { port, smtpPort });
  return { urls, mail, read: () => received.read(), close: () => services.close() };
}
