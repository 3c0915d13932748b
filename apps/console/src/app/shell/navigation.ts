import { may } from "@suncrew/domain/auth/permissions.ts";
import type { Ability } from "@suncrew/domain/auth/permissions.ts";
import { useLocation } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";

interface Destination {
  readonly label: string;
  readonly to: string;
  /** The page it leads to, if `to` redirects. */
  readonly page: string;
  /** Only who may do this sees it (§6); everybody where left out. */
  readonly ability?: Ability;
}

/** §2 Top navigation bar, in its order; the Dashboard's link is `/`. */
const DESTINATIONS: readonly Destination[] = [
  { label: "Dashboard", to: paths.signIn(), page: paths.dashboard() },
  { label: "Site Management", to: paths.sites(), page: paths.sites() },
  { label: "Partners", to: paths.partners(), page: paths.partners(), ability: "viewPartners" },
  { label: "Activity Log", to: paths.activity(), page: paths.activity() },
  {
    label: "Report Management",
    to: paths.reportManagement(),
    page: paths.reportManagement(),
    ability: "viewReportManagement",
  },
  { label: "Site Reports", to: paths.siteReports(), page: paths.siteReports() },
];

export interface NavigationLink extends Destination {
  readonly current: boolean;
}

/** The links of the user's role, the current one marked. */
export function useNavigation(): readonly NavigationLink[] {
  const { role } = useSignedIn();
  const { pathname } = useLocation();
  return DESTINATIONS.filter(({ ability }) => ability === undefined || may(role, ability)).map((destination) => ({
    ...destination,
    current: pathname === destination.page,
  }));
}
