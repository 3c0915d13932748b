import { Box } from "@mantine/core";
import { firstContentShown } from "../../platform/first-content.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { GuardedSiteProps } from "./guard-control.tsx";

/** None is needed before the first robots; that no robot starts is said at each Start, too. */
const late = async () => {
  await firstContentShown();
  return import("./guard-control.tsx");
};
const nothing = { failed: () => null };

export const GuardControl = lazyPart(async () => (await late()).GuardControl, nothing);
export const GuardMark = lazyPart(async () => (await late()).GuardMark, nothing);
export const SkippedByWeather = lazyPart(async () => (await late()).SkippedByWeather, nothing);

/** In a place that is kept for it; without it, its sentence. */
export const GuardNotice = lazyPart(async () => (await late()).GuardNotice, {
  waiting: said,
  failed: (_, site) => said(site),
});

function said({ site }: GuardedSiteProps) {
  return (
    <Box mt={10} mih={110} fz={13}>
      {site.weather_guard?.text}
    </Box>
  );
}

export const WeatherLimitsDialog = lazyDialog(
  () => "Weather Limits",
  async () => (await import("./weather-limits-dialog.tsx")).WeatherLimitsDialog,
);
