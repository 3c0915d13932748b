import type { Role } from "@suncrew/contract/auth/auth.ts";

/** §6: a role's name on screen. */
export const roleWord: Record<Role, string> = { SUPER_ADMIN: "Super Admin", PARTNER: "Partner" };
