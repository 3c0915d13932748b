import { useLocation } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { mayOpen } from "../pages.ts";

interface Destination {
  readonly label: string;
  readonly to: string;
  /** The page it leads to, if `to` redirects. */
  readonly page: string;
}

/** §2 Top navigation bar, in its order; the Dashboard's link is `/`. */
const DESTINATIONS: readonly Destination[] = [
  { label: "Dashboard", to: paths.signIn(), page: paths.dashboard() },
  { label: "Site Management", to: paths.sites(), page: paths.sites() },
  { label: "Partners", to: paths.partners(), page: paths.partners() },
  { label: "Activity Log", to: paths.activity(), page: paths.activity() },
  { label: "Report Management", to: paths.reportManagement(), page: paths.reportManagement() },
  { label: "Site Reports", to: paths.siteReports(), page: paths.siteReports() },
];

export interface NavigationLink extends Destination {
  readonly current: boolean;
}

/** §6: the links to the pages that the user's role may open, the current one marked. */
export function useNavigation(): readonly NavigationLink[] {
  const { role } = useSignedIn();
  const { pathname } = useLocation();
  return DESTINATIONS.filter(({ page }) => mayOpen(role, page)).map((destination) => ({
    ...destination,
    current: pathname === destination.page,
  }));
}
