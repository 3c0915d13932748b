import type { Role } from "@suncrew/contract/auth/auth.ts";

/** §6: how a role is called on screen. */
export const roleWord: Record<Role, string> = { SUPER_ADMIN: "Super Admin", PARTNER: "Partner" };
