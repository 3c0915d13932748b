import { login, logout } from "@suncrew/contract/auth/auth.ts";
import { robotStatus } from "@suncrew/contract/commands/commands.ts";
import { health } from "@suncrew/contract/config/config.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call, urlOf } from "./call.ts";
import { AnswerError, ApiError, NetworkError, messageOf, TokenExpiredError } from "./errors.ts";

const stored = vi.hoisted(() => {
  const items = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  });
  return items;
});
const goTo = vi.fn<(url: string) => void>();
const fetched = vi.fn<typeof fetch>();

function tokenExpiringIn(seconds: number): string {
  const claims = { role: "SUPER_ADMIN", exp: Date.now() / 1000 + seconds };
  return `a.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c`;
}

function answer(status: number, body: unknown): void {
  fetched.mockImplementation(async () => new Response(JSON.stringify(body), { status }));
}

/** The error of a call that must fail. */
async function failureOf(calling: Promise<unknown>): Promise<unknown> {
  return calling.then(
    () => new Error("It did not fail."),
    (error: unknown) => error,
  );
}

function lastRequest(): { url: unknown; init: RequestInit; headers: Headers } {
  const [url, init] = fetched.mock.lastCall ?? [];
  return { url, init: init ?? {}, headers: new Headers(init?.headers) };
}

/** A request that ends only when it is cancelled. */
function neverAnswer(): void {
  fetched.mockImplementation(
    async (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
      }),
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  stored.clear();
  stored.set("token", tokenExpiringIn(60));
  vi.stubGlobal("fetch", fetched.mockReset());
  vi.stubGlobal("location", { replace: goTo.mockReset() });
});
afterEach(() => vi.useRealTimers());

test("§7 a Bearer token is sent when there is one, and none when there is none", async () => {
  answer(200, { status: "ok" });
  stored.clear();
  await call(health, {});
  expect(lastRequest().headers.get("authorization")).toBeNull();
  const token = tokenExpiringIn(60);
  stored.set("token", token);
  answer(200, []);
  await call(siteDetails, {});
  expect(lastRequest()).toMatchObject({ url: "/api/sites/details", init: { method: "GET" } });
  expect(lastRequest().headers.get("authorization")).toBe(`Bearer ${token}`);
});

test("§4 Session: once the session is over, nothing is sent that the server would only refuse", async () => {
  stored.clear();
  expect(await failureOf(call(siteDetails, {}))).toBeInstanceOf(TokenExpiredError);
  expect(fetched).not.toHaveBeenCalled();
});

test("§7 logout has a JSON content type and an empty body", async () => {
  stored.set("token", tokenExpiringIn(60));
  answer(200, { message: "Signed out" });
  await call(logout, {});
  expect(lastRequest().headers.get("content-type")).toBe("application/json");
  expect(lastRequest().init.body).toBeUndefined();
});

test.each([
  ["an expired token", tokenExpiringIn(-1)],
  ["a token that cannot be decoded", "nonsense"],
])("§4 Session: a request with %s is rejected with 'Token expired' before sending", async (_, token) => {
  stored.set("token", token).set("user", "{}");
  await expect(call(siteDetails, {})).rejects.toThrow("Token expired");
  expect(fetched).not.toHaveBeenCalled();
  expect([...stored.keys()]).toEqual([]);
  expect(goTo).toHaveBeenCalledWith("/");
});

test.each([401, 403])("§4 Session: a %d clears the session and goes to /", async (status) => {
  stored.set("token", tokenExpiringIn(60)).set("user", "{}").set("theme", "dark");
  answer(status, { message: "No" });
  await expect(call(siteDetails, {})).rejects.toMatchObject({ status, message: "No" });
  expect([...stored.keys()]).toEqual(["theme"]);
  expect(goTo).toHaveBeenCalledWith("/");
});

test("§8 the 401 of login itself leaves everything as it is", async () => {
  const token = tokenExpiringIn(60);
  stored.set("token", token);
  answer(401, { message: "Invalid credentials" });
  await expect(call(login, { body: { username: "a", password: "b" } })).rejects.toBeInstanceOf(ApiError);
  expect(stored.get("token")).toBe(token);
  expect(goTo).not.toHaveBeenCalled();
});

test("a late 401 for a former token does not end the session that followed", async () => {
  stored.set("token", tokenExpiringIn(60));
  const next = tokenExpiringIn(120);
  fetched.mockImplementation(async () => {
    stored.set("token", next);
    return new Response("{}", { status: 401 });
  });
  await expect(call(siteDetails, {})).rejects.toBeInstanceOf(ApiError);
  expect(stored.get("token")).toBe(next);
});

test("a refusal carries its message, its fields and whether it is pending", async () => {
  answer(504, { success: false, message: "Robot is offline", pending: true, errors: [{ field: "a", message: "b" }] });
  await expect(call(siteDetails, {})).rejects.toMatchObject({
    status: 504,
    message: "Robot is offline",
    pending: true,
    errors: [{ field: "a", message: "b" }],
  });
});

test("a refusal without a message, such as a proxy's page, has none", async () => {
  fetched.mockResolvedValue(new Response("<html>", { status: 502 }));
  await expect(call(siteDetails, {})).rejects.toMatchObject({ status: 502, message: "" });
});

test("no connection is a NetworkError; an answer of another shape an AnswerError", async () => {
  fetched.mockRejectedValue(new TypeError("Failed to fetch"));
  await expect(call(siteDetails, {})).rejects.toBeInstanceOf(NetworkError);
  answer(200, { sites: [] });
  await expect(call(siteDetails, {})).rejects.toBeInstanceOf(AnswerError);
});

test("§9 Request timeout: 10000 ms until the first byte", async () => {
  neverAnswer();
  const failure = failureOf(call(siteDetails, {}));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(lastRequest().init.signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await failure).toMatchObject({ name: "NetworkError", timedOut: true });
});

test("§9 an answer that is arriving is not cut off", async () => {
  let send: (() => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = () => {
        controller.enqueue(new TextEncoder().encode("[]"));
        controller.close();
      };
    },
  });
  fetched.mockResolvedValue(new Response(body));
  const answered = call(siteDetails, {});
  await vi.advanceTimersByTimeAsync(60_000);
  send?.();
  await expect(answered).resolves.toEqual([]);
  expect(lastRequest().init.signal?.aborted).toBe(false);
});

test("§7 the status call waits without limit and can be cancelled", async () => {
  neverAnswer();
  const cancel = new AbortController();
  const options = { timeoutMs: null, signal: cancel.signal };
  const failure = failureOf(call(robotStatus, { query: { robotId: "SCR-1001" } }, options));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(lastRequest().init.signal?.aborted).toBe(false);
  cancel.abort();
  expect(await failure).toMatchObject({ name: "AbortError" });
});

test.each(["Failed to fetch", "NetworkError when attempting to fetch resource.", "Load failed"])(
  "§8 network failure: the browser's message (%s) is replaced by our own",
  async (words) => {
    fetched.mockRejectedValue(new TypeError(words));
    const failure = await failureOf(call(siteDetails, {}));
    expect(failure).toEqual(new NetworkError(false));
    expect([messageOf(failure), messageOf(new TypeError(words))]).toEqual([
      "The server could not be reached.",
      undefined,
    ]);
  },
);

test("parameters are filled in and encoded", () => {
  expect(urlOf("/api/robots/robotsList/:siteId", { siteId: "4/5 ?" })).toBe("/api/robots/robotsList/4%2F5%20%3F");
});

test("the query has what is defined, encoded", () => {
  expect(urlOf("/api/x", undefined, { robotId: "SCR-1001 &", limit: 0, cursor: undefined })).toBe(
    "/api/x?robotId=SCR-1001+%26&limit=0",
  );
  expect(urlOf("/api/x", undefined, { cursor: undefined })).toBe("/api/x");
});
