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

/** What the token carries (§3 Session user); `sid` names the row in `sessions`. */
export const tokenClaimsSchema = z.object({
  id: idSchema,
  role: roleSchema,
  email: z.string(),
  partnerId: idSchema.nullable(),
  sid: z.uuid(),
  /** For password managers, that keep passwords by it; tokens of earlier versions have none. */
  username: z.string().optional(),
  /** The token opens nothing without the cookie that the browser got with it; missing in those of programs. */
  bound: z.boolean().optional(),
  /** Seconds since 1970. */
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
      .regex(/^[\w-]{22,64}$/, "A browser's mark must be 22 to 64 letters and digits")
      .optional()
      .describe(
        "By chance, made and kept by the browser: once the person has signed in from it, failures of others do not hold it up. The answer then sets a cookie, and the token opens nothing without it. Programs leave it out",
      ),
  }),
  response: z.object({
    message: z.string(),
    token: z.string(),
    user: sessionUserSchema,
    /** Until when the password that the server generated signs in; absent once the person has chosen one. */
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
  summary: "Change the own password; the user's other sessions end",
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
  response: z.object({ message: z.string() }),
});
