import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HttpOutcome, OutgoingHttp } from "./outgoing-http.ts";

const never = new AbortController().signal;
const body = '{"robot":"सूर्य"}';

let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let received: {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}[];

beforeEach(async () => {
  received = [];
  answer = (_request, response) => void response.end('{"ok":true}');
  server = createServer((request, response) => void receive(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received.push({ url: request.url, headers: request.headers, body: await text(request) });
  answer(request, response);
}

const local = (maxMs?: number) => new OutgoingHttp(["127.0.0.1"], maxMs === undefined ? {} : { maxMs });

function post(url: string, http = local(), signal = never): Promise<HttpOutcome> {
  return http.postJson({ url, body, headers: { "webhook-id": "7" } }, signal);
}

const forbidden = { kind: "forbidden", because: "PRIVATE_ADDRESS" };

describe("calls to addresses that people enter", () => {
  test("the JSON arrives byte for byte, with the headers, and the answer is returned", async () => {
    const outcome = await post(`http://127.0.0.1:${port}/hook?key=1`);
    expect(outcome).toMatchObject({ kind: "answered", status: 200, body: '{"ok":true}' });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      url: "/hook?key=1",
      body,
      headers: { "content-type": "application/json", "webhook-id": "7", host: `127.0.0.1:${port}` },
    });
  });

  test("a private address is not called unless it is allowed, as itself, under a name or within a network", async () => {
    const url = `http://127.0.0.1:${port}/`;
    expect(await post(url, new OutgoingHttp([]))).toEqual(forbidden);
    expect(await post(`http://localhost:${port}/`, new OutgoingHttp([]))).toEqual(forbidden);
    expect(await post(url, new OutgoingHttp(["127.0.0.2", "10.0.0.0/8", "::1"]))).toEqual(forbidden);
    expect(received).toEqual([]);
    expect(await post(url, new OutgoingHttp(["10.0.0.0/8", "127.0.0.0/8"]))).toMatchObject({ kind: "answered" });
    expect(await post(url, new OutgoingHttp("every address"))).toMatchObject({ kind: "answered" });
  });

  test("a name is resolved once in each call, and that address is connected to", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const resolve = () => Promise.resolve(answers.shift() ?? []);
    const http = new OutgoingHttp(["127.0.0.1"], { resolve });
    expect(await post(`http://changing.example:${port}/`, http)).toMatchObject({ kind: "answered" });
    expect(received[0]?.headers.host).toBe(`changing.example:${port}`);
    expect(answers).toHaveLength(1);
    expect(await post(`http://changing.example:${port}/`, http)).toEqual(forbidden);
  });

  test("a name with a private address beside a public one is not called", async () => {
    const http = new OutgoingHttp([], { resolve: () => Promise.resolve(["8.8.8.8", "192.168.1.1"]) });
    expect(await post("https://both.example/", http)).toEqual(forbidden);
  });

  test.each(
    `0.1.2.3 10.1.1.1 100.64.0.1 127.9.9.9 169.254.169.254 172.16.0.1 192.0.0.8 192.0.2.1 192.88.99.1
     168.63.129.16 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 [::] [::1]
     [::ffff:10.0.0.1] [::10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1] [100::1] [2001::1] [2001:db8::1] [2002:7f00:1::] [3fff::1]
     [5f00::1] [fc00::1] [fe80::1] [fec0::1] [ff02::1] [4000::1] 2130706433 0x7f.1 0177.0.0.1`.split(/\s+/),
  )("%s is not on the internet", async (host) => {
    expect(await post(`http://${host}/`, new OutgoingHttp([]))).toEqual(forbidden);
  });

  test.each(["8.8.8.8", "[2606:4700::1111]", "[64:ff9b::8.8.8.8]", "[::ffff:8.8.8.8]"])(
    "%s is on the internet",
    async (host) => {
      // Whether the time is up before anything answers, or something does: it is not forbidden.
      const outcome = await post(`http://${host}/`, new OutgoingHttp([], { maxMs: 0 }));
      expect(outcome.kind).not.toBe("forbidden");
    },
  );

  test.each(["ftp://sun.example/", "file:///etc/passwd", "https://user:password@sun.example/", "sun.example", ""])(
    "%j is no address that can be called",
    async (url) => {
      expect(await post(url)).toEqual({ kind: "forbidden", because: "URL" });
    },
  );

  test("a redirect is an answer, and is not followed", async () => {
    answer = (_request, response) => void response.writeHead(307, { location: `http://127.0.0.1:${port}/other` }).end();
    expect(await post(`http://127.0.0.1:${port}/hook`)).toMatchObject({ kind: "answered", status: 307 });
    expect(received).toHaveLength(1);
  });

  test("where nothing listens, or the name does not exist, nothing was received", async () => {
    const closed = createServer();
    await once(closed.listen(0, "127.0.0.1"), "listening");
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, "close");
    expect(await post(`http://127.0.0.1:${free}/`)).toEqual({ kind: "unreachable", code: "ECONNREFUSED" });
    const resolve = () => Promise.reject(Object.assign(new Error("queryA"), { code: "ENOTFOUND" }));
    expect(await post("http://nowhere.example/", new OutgoingHttp([], { resolve }))).toEqual({
      kind: "unreachable",
      code: "ENOTFOUND",
    });
  });

  test("no TLS where https is expected: nothing was received", async () => {
    const outcome = await post(`https://127.0.0.1:${port}/`);
    expect(outcome.kind).toBe("unreachable");
    expect(received).toEqual([]);
  });

  test("without an answer in time it may have been received", async () => {
    answer = () => {};
    expect(await post(`http://127.0.0.1:${port}/`, local(2_000))).toEqual({ kind: "unknown", code: "TIMEOUT" });
    expect(received).toHaveLength(1);
  });

  test("cut before or within the answer, it may have been received", async () => {
    answer = (request) => void request.socket.destroy();
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: "unknown", code: "ECONNRESET" });
    answer = (request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => request.socket.destroy());
    };
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: "unknown", code: "ECONNRESET" });
  });

  test("a receiver that wants to go on in another protocol has answered with that, and keeps no connection", async () => {
    const raw = createRawServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\nhello"),
      );
    });
    await once(raw.listen(0, "127.0.0.1"), "listening");
    const { port: other } = raw.address() as AddressInfo;
    expect(await post(`http://127.0.0.1:${other}/`)).toMatchObject({ kind: "answered", status: 101, body: "" });
    raw.close();
    await once(raw, "close");
  });

  test("an answer without end is read up to 64 kB", async () => {
    answer = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
      };
      response.on("drain", more);
      more();
    };
    const outcome = await post(`http://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ kind: "answered", status: 200 });
    expect(outcome.kind === "answered" && outcome.body.length).toBe(64 * 1024);
  });

  test("an end by the caller is thrown as its reason", async () => {
    const stopping = new AbortController();
    answer = () => stopping.abort(new Error("the server stops"));
    await expect(post(`http://127.0.0.1:${port}/`, local(), stopping.signal)).rejects.toThrow("the server stops");
    await expect(post(`http://127.0.0.1:${port}/`, local(), stopping.signal)).rejects.toThrow("the server stops");
    expect(received).toHaveLength(1);
  });
});
