import type { Role } from "@suncrew/contract/auth/auth.ts";
import { useLocation } from "react-router";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";

interface Destination {
  readonly label: string;
  readonly to: string;
  /** The page it leads to, if `to` redirects. */
  readonly page: string;
  /** Who sees it (§6); everybody where left out. */
  readonly roles?: readonly Role[];
}

/** §2 Top navigation bar, in its order; the Dashboard's link is `/`. */
const DESTINATIONS: readonly Destination[] = [
  { label: "Dashboard", to: paths.signIn(), page: paths.dashboard() },
  { label: "Site Management", to: paths.sites(), page: paths.sites() },
];

export interface NavigationLink extends Destination {
  readonly current: boolean;
}

/** The links of the user's role, the current one marked. */
export function useNavigation(): readonly NavigationLink[] {
  const { role } = useSignedIn();
  const { pathname } = useLocation();
  return DESTINATIONS.filter(({ roles }) => roles === undefined || roles.includes(role)).map((destination) => ({
    ...destination,
    current: pathname === destination.page,
  }));
}
