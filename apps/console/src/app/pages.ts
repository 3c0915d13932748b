import type { Role } from "@suncrew/contract/auth/auth.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import type { Ability } from "@suncrew/domain/auth/permissions.ts";
import { paths } from "../platform/paths.ts";

/** §2 Routes, §6: the pages of those who are signed in, with what one must be able to do for them; null: nothing more. */
const pages: ReadonlyMap<string, Ability | null> = new Map([
  [paths.dashboard(), null],
  [paths.sites(), null],
  [paths.partners(), "viewPartners"],
  [paths.activity(), "viewActivity"],
  [paths.reportManagement(), "viewReportManagement"],
  [paths.siteReports(), null],
  [paths.profile(), null],
]);

/** True where the address is a page of the console, and this role's. */
export function mayOpen(role: Role, address: string): boolean {
  const { origin, pathname } = new URL(address, location.origin);
  // As the router takes it: capitals and a slash at the end make no other page.
  const page = pathname.toLowerCase().replace(/\/+$/, "");
  const ability = origin === location.origin ? pages.get(page) : undefined;
  return ability !== undefined && (ability === null || may(role, ability));
}
