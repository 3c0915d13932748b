import { z } from "zod";
import { defineRoute } from "../http/route.ts";

export const modeSchema = z.enum(["demo", "production"]);
export type Mode = z.output<typeof modeSchema>;

export const config = defineRoute({
  summary: "What the console needs to know before anybody signs in",
  method: "GET",
  path: "/api/config",
  open: true,
  response: z.object({
    mode: modeSchema,
    /** The known sign-ins of a demo; empty in production. */
    demo_sign_ins: z.array(z.object({ username: z.string(), password: z.string(), role: z.string() })),
    /** Null where tiles are switched off; `available` says whether the tile service answers at the moment. */
    map_tiles: z.object({ url: z.string(), attribution: z.string(), available: z.boolean() }).nullable(),
  }),
});

export const health = defineRoute({
  summary: "The process lives",
  method: "GET",
  path: "/api/health",
  open: true,
  anyHost: true,
  response: z.object({ status: z.literal("ok") }),
});

export const ready = defineRoute({
  summary: "A START could work: the database stores, broker and bridge are there; 503 says what is missing",
  method: "GET",
  path: "/api/ready",
  open: true,
  anyHost: true,
  response: z.object({ status: z.literal("ready"), database: z.literal(true), broker: z.literal(true) }),
});
