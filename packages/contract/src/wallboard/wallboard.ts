import { z } from "zod";
import { sessionUserSchema } from "../auth/auth.ts";
import { defineRoute } from "../http/route.ts";
import { requiredText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";

export const WALLBOARD_NAME_MAX = 60;
/** How many open links one person may have. */
export const WALLBOARD_LINKS_PER_USER = 20;

/** A link by which a screen shows the wallboard without a person signed in there; it can only read. */
export const wallboardLinkSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** The name of the person whose sites it shows. */
  made_by: z.string(),
  created_at: instantSchema,
  /** Within some minutes; null if it was never opened. */
  last_used_at: instantSchema.nullable(),
});
export type WallboardLink = z.output<typeof wallboardLinkSchema>;

export const wallboardLinks = defineRoute({
  summary: "The open links to wallboards: a PARTNER's own, a SUPER_ADMIN's all",
  method: "GET",
  path: "/api/wallboard-links",
  response: z.array(wallboardLinkSchema),
});

export const createWallboardLink = defineRoute({
  summary: `Make a link that shows your sites on a wallboard and can only read; each person may have ${WALLBOARD_LINKS_PER_USER}`,
  method: "POST",
  path: "/api/wallboard-links",
  body: z.object({ name: requiredText("Name is required", WALLBOARD_NAME_MAX) }),
  status: 201,
  response: z.object({
    message: z.string(),
    linkId: idSchema,
    /** Follows `/wall#` in the link's address; it is told only here. */
    token: z.string(),
  }),
});

export const withdrawWallboardLink = defineRoute({
  summary: "Withdraw a link: the wallboards that it opened end at once",
  method: "DELETE",
  path: "/api/wallboard-links/:linkId",
  params: z.object({ linkId: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const openWallboard = defineRoute({
  summary: "Sign a screen in with the token of a wallboard's link; the session can only read, and ends with the link",
  method: "POST",
  path: "/api/wallboard/open",
  open: true,
  maxBodyBytes: 4_096,
  body: z.object({
    token: z.string({ error: "Token is required" }).regex(/^\d{1,9}\.[\w-]{43}$/, "This is no wallboard's link"),
  }),
  response: z.object({
    message: z.string(),
    token: z.string(),
    /** Named after the link. */
    user: sessionUserSchema,
  }),
});
