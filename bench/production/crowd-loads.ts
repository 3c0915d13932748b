import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { login } from "@suncrew/contract/auth/auth.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { reportPdf } from "@suncrew/contract/reports/reports.ts";
import { ROBOT_COLUMNS, importRobots } from "@suncrew/contract/robots/robot-files.ts";

// The program of a separate process: other people's requests to a server until this process ends.

export const loadNames = ["nothing", "large bodies", "previews", "reports", "sign-ins", "streams"] as const;
export type LoadName = (typeof loadNames)[number];

export interface LoadOrder {
  readonly load: LoadName;
  readonly url: string;
  readonly siteId: number;
  readonly partner: { readonly username: string; readonly password: string };
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly token?: string;
  /** An address of this machine: all of 127.0.0.0/8 are. */
  readonly from?: string;
}

const answers = new Map<number | string, number>();
const count = (what: number | string) => answers.set(what, (answers.get(what) ?? 0) + 1);
const agent = new Agent({ keepAlive: false });

/** The status and text of the answer; status 0 if the connection broke. A stream is read until it ends. */
function ask(
  url: string,
  { path, method = "POST", body, token, from }: Asked,
): Promise<{ status: number; text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number; text: string }>();
  const broken = () => resolve({ status: 0, text: "" });
  const asking = request(
    url + path,
    {
      method,
      agent,
      ...(from !== undefined && { localAddress: from }),
      headers: {
        "content-type": "application/json",
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    },
    (answer) => {
      const status = answer.statusCode ?? 0;
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        if (text.length < 10_000) text += part;
      });
      answer.on("end", () => resolve({ status, text }));
      answer.on("error", broken);
    },
  );
  asking.on("error", broken);
  asking.end(body);
  return promise.then((answer) => {
    count(answer.status);
    return answer;
  });
}

async function signIn({ url, partner }: LoadOrder, from: string): Promise<string> {
  const { text } = await ask(url, { path: login.path, body: JSON.stringify(partner), from });
  return login.response.parse(JSON.parse(text)).token;
}

/** Sends this many requests at once, and a new one for each that is answered, for as long as the process lives. */
async function always(atOnce: number, work: (nth: number) => Promise<unknown>): Promise<void> {
  const worker = async (nth: number) => {
    for (;;) {
      await work(nth);
      await pause(1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, nth) => worker(nth)));
}

const address = (nth: number) => `127.${10 + (nth >> 16)}.${(nth >> 8) & 255}.${1 + (nth & 127)}`;

const loads: Record<LoadName, (order: LoadOrder) => Promise<unknown>> = {
  nothing: async () => {},
  "large bodies": ({ url }) => {
    const body = `{"username":[${"[],".repeat(340_000)}[]],"password":"x"}`;
    return always(5, async (nth) => {
      void ask(url, { path: login.path, body, from: address(nth) });
      await pause(500);
    });
  },
  previews: async (order) => {
    const token = await signIn(order, address(1));
    const rows = Array.from(
      { length: 5_000 },
      (_, nth) => `Crowd Park ${nth % 90},SN-${nth},Robot ${nth},,,2026-01-31`,
    );
    const body = JSON.stringify({ csv: `${ROBOT_COLUMNS.join(",")}\n${rows.join("\n")}` });
    await always(24, () => ask(order.url, { path: importRobots.path, body, token }));
  },
  reports: async (order) => {
    const token = await signIn(order, address(1));
    const year = { from: "2025-11-01 00:00:00", to: "2026-11-30 23:59:59" };
    const body = JSON.stringify({ site_id: order.siteId, ...year });
    await always(600, () => ask(order.url, { path: reportPdf.path, body, token }));
  },
  "sign-ins": ({ url }) =>
    always(1_000, (nth) => {
      const body = JSON.stringify({ username: `somebody ${nth}`, password: "not a password" });
      return ask(url, { path: login.path, body, from: address(1_000 + nth) });
    }),
  streams: async (order) => {
    const tokens: string[] = [];
    for (let nth = 0; nth < 400; nth += 1) tokens.push(await signIn(order, address(nth >> 2)));
    console.log("signed in");
    const streams = always(2_000, (nth) =>
      ask(order.url, {
        path: live.path,
        method: "GET",
        token: tokens[nth % tokens.length] ?? "",
        from: address(nth % 100),
      }).then(() => pause(1_000)),
    );
    await pause(5_000);
    await streams;
  },
};

process.on("message", (order: LoadOrder) => void loads[order.load](order));
process.on("SIGTERM", () => {
  console.log(`  answered: ${[...answers].map(([status, times]) => `${times} x ${status}`).join(", ") || "nothing"}`);
  process.exit(0);
});
