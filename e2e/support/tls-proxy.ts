import { generateKeyPairSync, sign } from "node:crypto";
import { request } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";

/** The kind of proxy in front of Suncrew in production: HTTP/2 over TLS to browsers, HTTP/1.1 to the server. */
export interface TlsProxy extends AsyncDisposable {
  readonly url: string;
}

/** Headers of a single HTTP/1.1 connection, which HTTP/2 does not have. */
const OF_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"]);

export async function startTlsProxy(serverUrl: string): Promise<TlsProxy> {
  const { hostname, port } = new URL(serverUrl);
  const proxy = createSecureServer(selfSigned(), (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith(":"));
    const forwarded = request({
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...Object.fromEntries(headers), host: incoming.headers[":authority"] ?? "localhost" },
    });
    forwarded.on("response", (response) => {
      const kept = Object.entries(response.headers).filter(([name]) => !OF_CONNECTION.has(name));
      outgoing.writeHead(response.statusCode ?? 502, Object.fromEntries(kept));
      pipeline(response, outgoing, () => {});
    });
    forwarded.on("error", () => outgoing.stream.close());
    outgoing.on("close", () => forwarded.destroy());
    pipeline(incoming, forwarded, () => {});
  });
  const sessions = new Set<{ destroy: () => void }>();
  proxy.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}

/** A value in DER, the encoding of certificates. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const long = body.length < 0x80 ? [] : body.length < 0x1_00 ? [0x81] : [0x82, body.length >> 8];
  return Buffer.concat([Buffer.from([tag, ...long, body.length & 0xff]), body]);
}

const hex = (digits: string) => Buffer.from(digits, "hex");
const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = der(SEQUENCE, hex("06082a8648ce3d040302"));
const COMMON_NAME = hex("0603550403");

/** A self-signed certificate for localhost, valid today. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const text = der(0x0c, Buffer.from("localhost"));
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, text)));
  const day = (days: number) => {
    const at = new Date(Date.now() + days * 86_400_000).toISOString();
    return der(0x17, Buffer.from(`${at.replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));
  };
  const subjectKey = publicKey.export({ type: "spki", format: "der" });
  const number = der(0x02, Buffer.from([1]));
  const contents = der(SEQUENCE, number, ECDSA_WITH_SHA256, name, der(SEQUENCE, day(-1), day(1)), name, subjectKey);
  const signature = der(0x03, Buffer.from([0]), sign("sha256", contents, privateKey));
  const certificate = der(SEQUENCE, contents, ECDSA_WITH_SHA256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}
