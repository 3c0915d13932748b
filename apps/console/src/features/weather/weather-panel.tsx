import { Skeleton, VisuallyHidden } from "@mantine/core";
import { firstContentShown } from "../../platform/first-content.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import type { WeatherOfSiteProps } from "./weather-card.tsx";
import classes from "./weather-card.module.css";

const WeatherCard = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./weather-card.tsx")).WeatherCard;
  },
  {
    waiting: <WeatherLoading />,
    failed: (failure) => <FailedPart title="The weather could not be loaded." failure={failure} />,
  },
);

/** A site's weather in a few words, for a screen that nobody operates; nothing where it is not known. */
export const WeatherLine = lazyPart(async () => (await import("./weather-card.tsx")).WeatherLine, {
  failed: () => null,
});

/** §2 Detail panel: the weather card of the selected site. It loads after the robots. */
export function WeatherPanel({ site }: WeatherOfSiteProps) {
  return (
    <section className={classes["frame"]} aria-label="Weather">
      <WeatherCard site={site} />
    </section>
  );
}

export function WeatherLoading() {
  return (
    <div role="status">
      <VisuallyHidden>Loading weather</VisuallyHidden>
      <Skeleton className={classes["place"]} radius={8} />
    </div>
  );
}
