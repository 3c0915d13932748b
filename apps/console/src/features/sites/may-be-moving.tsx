import type { Site } from "@suncrew/contract/sites/sites.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { mayBeMovingLook, mayBeMovingText } from "./site-meaning.ts";

/** Protocol rule 13: how many robots of a site were lost while they moved and may be moving; nothing where none is. */
export function MayBeMovingBadge({ site }: { site: Site }) {
  if (site.may_be_moving_robots === 0) return null;
  return <StateBadge look={mayBeMovingLook} label={mayBeMovingText(site.may_be_moving_robots)} />;
}
