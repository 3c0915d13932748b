import { config } from "@suncrew/contract/config/config.ts";
import { expect, test, vi } from "vitest";
import { createTestApp } from "../../../test/test-app.ts";
import { worldTile } from "./tile-probe.ts";

const mapTiles = { url: "https://tiles.example/{z}/{x}/{y}.png", attribution: "Tiles of nobody" };

test("production tells no sign-ins; tiles that are off are null", async () => {
  const server = await createTestApp();
  const answer = await (await server.as(null)).ask(config);
  await server.close();
  expect(answer).toEqual({ mode: "production", demo_sign_ins: [], map_tiles: null });
});

test("a demo tells its two sign-ins", async () => {
  const server = await createTestApp({ settings: { mode: "demo" } });
  const answer = await (await server.as(null)).ask(config);
  await server.close();
  expect(answer.demo_sign_ins.map(({ username }) => username)).toEqual(["admin", "partner"]);
});

test("the tile service is looked at in the background, every five minutes", async () => {
  let answers = true;
  const asked: string[] = [];
  const server = await createTestApp({
    settings: { mapTiles },
    fetch: async (input) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      if (!answers) throw new TypeError("fetch failed");
      return new Response("tile");
    },
  });
  const nobody = await server.as(null);
  const available = async () => (await nobody.ask(config)).map_tiles?.available;
  expect(await available()).toBe(false);
  await server.app.start();
  await vi.waitFor(async () => expect(await available()).toBe(true));
  answers = false;
  server.clock.advance(299_000);
  expect(await available()).toBe(true);
  server.clock.advance(1_000);
  await vi.waitFor(async () => expect(await available()).toBe(false));
  expect(asked).toEqual(Array(2).fill("https://tiles.example/0/0/0.png"));
  expect((await nobody.ask(config)).map_tiles).toEqual({ ...mapTiles, available: false });
  await server.close();
});

test("a call never waits for a tile service that does not answer, nor does the server's end", async () => {
  const server = await createTestApp({
    settings: { mapTiles },
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("over")))),
  });
  await server.app.start();
  expect((await (await server.as(null)).ask(config)).map_tiles?.available).toBe(false);
  await server.close();
});

test("the smallest tile is asked for, whatever the template's form", () => {
  expect(worldTile("https://{s}.tiles.example/{z}/{x}/{y}{r}.png?k=1")).toBe("https://a.tiles.example/0/0/0.png?k=1");
});
