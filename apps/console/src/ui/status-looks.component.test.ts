import { expect, test } from "vitest";
import { severityLook } from "../features/alerts/alert-looks.ts";
import { fleetFigureLook } from "../features/fleet/fleet-looks.ts";
import { groupStatusLook } from "../features/groups/group-looks.ts";
import { lostLook, robotStatusLook } from "../features/robots/robot-looks.ts";
import { mayBeMovingLook, siteStatusLook } from "../features/sites/site-looks.ts";
import type { Look } from "./look.ts";

const shown = ({ icon, tone }: Look) => ({ icon, tone });

test.each<[string, readonly Look[]]>([
  ["all is well", [robotStatusLook.normal, siteStatusLook.normal, groupStatusLook.normal]],
  [
    "a warning",
    [
      severityLook.WARNING,
      robotStatusLook.warning,
      siteStatusLook.warning,
      groupStatusLook.warning,
      fleetFigureLook.needsAttention,
    ],
  ],
  ["what is critical", [severityLook.CRITICAL, robotStatusLook.critical, siteStatusLook.fault]],
  ["standby", [robotStatusLook.standby, siteStatusLook.standby, groupStatusLook.standby]],
  ["idle", [robotStatusLook.idle, fleetFigureLook.idle]],
  ["offline", [robotStatusLook.offline, fleetFigureLook.offline]],
  ["what may be moving", [lostLook.MAY_BE_MOVING, mayBeMovingLook, fleetFigureLook.mayBeMoving]],
])("§4 Marker colours: %s has one icon and one colour wherever it is shown", (_what, [first, ...others]) => {
  for (const look of others) expect(shown(look)).toEqual(first && shown(first));
});

test("§4 Marker colours: different meanings differ by icon as well", () => {
  const icons = Object.values(siteStatusLook).map(({ icon }) => icon);
  expect(new Set(icons).size).toBe(icons.length);
});
