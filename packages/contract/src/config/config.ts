import { z } from "zod";
import { defineRoute } from "../http/route.ts";

export const modeSchema = z.enum(["demo", "production"]);
export type Mode = z.output<typeof modeSchema>;

export const config = defineRoute({
  summary: "What the console needs before sign-in",
  method: "GET",
  path: "/api/config",
  open: true,
  response: z.object({
    mode: modeSchema,
    /** The well-known demo accounts; empty in production. */
    demo_sign_ins: z.array(z.object({ username: z.string(), password: z.string(), role: z.string() })),
    /** Null when tiles are turned off; `available` says whether the tile service currently responds. */
    map_tiles: z.object({ url: z.string(), attribution: z.string(), available: z.boolean() }).nullable(),
  }),
});

export const health = defineRoute({
  summary: "The process is alive",
  method: "GET",
  path: "/api/health",
  open: true,
  anyHost: true,
  response: z.object({ status: z.literal("ok") }),
});

export const ready = defineRoute({
  summary: "A START can work: the database is writable, broker and bridge are connected; 503 says what is missing",
  method: "GET",
  path: "/api/ready",
  open: true,
  anyHost: true,
  response: z.object({ status: z.literal("ready"), database: z.literal(true), broker: z.literal(true) }),
});
