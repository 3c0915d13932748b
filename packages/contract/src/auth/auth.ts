import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idSchema, instantSchema } from "../http/values.ts";

export const roleSchema = z.enum(["SUPER_ADMIN", "PARTNER"]);
export type Role = z.output<typeof roleSchema>;

export const sessionUserSchema = z.object({
  id: idSchema,
  name: z.string(),
  email: z.string(),
  role: roleSchema,
});

/** The token's claims (§3 Session user); `sid` is the id of the row in `sessions`. */
export const tokenClaimsSchema = z.object({
  id: idSchema,
  role: roleSchema,
  email: z.string(),
  partnerId: idSchema.nullable(),
  sid: z.uuid(),
  /** For password managers, which store passwords by it; tokens of earlier versions lack it. */
  username: z.string().optional(),
  /** The token is valid only with the cookie set along with it; absent in tokens of programs. */
  bound: z.boolean().optional(),
  /** Of a screen that a wallboard's link signed in: `sid` is that of the link, which older servers do not know. */
  wallboard: z.boolean().optional(),
  /** Unix seconds. */
  exp: z.int(),
});
export type TokenClaims = z.output<typeof tokenClaimsSchema>;

export const login = defineRoute({
  summary: "Sign in with a username and password",
  method: "POST",
  path: "/api/auth/login",
  open: true,
  maxBodyBytes: 16_384,
  body: z.object({
    username: z.string().trim().min(1, "Username is required").max(200),
    password: z.string().min(1, "Password is required").max(1000),
    browser: z
      .string()
      .regex(/^[\w-]{22,64}$/, "A browser id must be 22 to 64 letters and digits")
      .optional()
      .describe(
        "A random id generated and stored by the browser: once the user has signed in from it, other people's failed attempts do not throttle it. The response then sets a cookie, and the token is valid only with it. Programs omit it",
      ),
  }),
  response: z.object({
    message: z.string(),
    token: z.string(),
    user: sessionUserSchema,
    /** When the generated password expires; absent once the person has chosen one. */
    password_until: instantSchema.optional(),
  }),
});

export const logout = defineRoute({
  summary: "End this session",
  method: "POST",
  path: "/api/auth/logout",
  response: z.object({ message: z.string() }),
});

/** §9. */
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 200;

export const NEW_PASSWORD_SAME = "New password must differ from the current one";

export const changePassword = defineRoute({
  summary: "Change your own password; your other sessions end",
  method: "POST",
  path: "/api/auth/change-password",
  body: z
    .object({
      currentPassword: z
        .string({ error: "Current password is required" })
        .min(1, "Current password is required")
        .max(1000),
      newPassword: z
        .string({ error: "New password must be at least 8 characters" })
        .min(PASSWORD_MIN_LENGTH, "New password must be at least 8 characters")
        .max(PASSWORD_MAX_LENGTH, "New password must have at most 200 characters"),
    })
    .refine(({ currentPassword, newPassword }) => newPassword !== currentPassword, {
      error: NEW_PASSWORD_SAME,
      path: ["newPassword"],
    }),
  response: z.object({
    message: z.string(),
    /** How many links to wallboards you have made that still work; omitted without any. */
    wallboard_links: z.int().optional(),
  }),
});
