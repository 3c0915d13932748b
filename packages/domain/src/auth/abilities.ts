import type { Role } from "@suncrew/contract/auth/auth.ts";

/** Abilities inside calls that both roles may make, and pages of the console (§6). */
const abilities = {
  changeMotorSpeeds: ["SUPER_ADMIN"],
  changeMaintenancePartner: ["SUPER_ADMIN"],
  viewActivity: ["SUPER_ADMIN"],
  viewPartners: ["SUPER_ADMIN"],
  viewReportManagement: ["SUPER_ADMIN"],
  deployFirmware: ["SUPER_ADMIN"],
  viewWebhooks: ["SUPER_ADMIN"],
  viewDemoMessages: ["SUPER_ADMIN"],
} as const satisfies Record<string, readonly Role[]>;

export type Ability = keyof typeof abilities;

export function may(role: Role | null, ability: Ability): boolean {
  const roles: readonly Role[] = abilities[ability];
  return role !== null && roles.includes(role);
}
