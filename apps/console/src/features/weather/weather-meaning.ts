import type { WeatherAdvice, WeatherIcon } from "@suncrew/contract/weather/weather.ts";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCloud,
  IconCloudFog,
  IconCloudQuestion,
  IconCloudRain,
  IconCloudSnow,
  IconCloudStorm,
  IconDroplets,
  IconMoonStars,
  IconSun,
  IconUmbrella,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { Look } from "../../ui/look.ts";
import { IconCloudMoon, IconCloudSun } from "./cloud-icons.tsx";

export interface AdviceLook extends Look {
  readonly sentence: string;
}

/** §4 Weather recommendation, to the letter. */
export const weatherAdviceLook: Record<WeatherAdvice, AdviceLook> = {
  recommended: {
    label: "Good to Clean",
    sentence: "Good conditions for cleaning",
    tone: "good",
    icon: IconCircleCheck,
  },
  caution: {
    label: "Plan Carefully",
    sentence: "Some rain expected - plan accordingly",
    tone: "fair",
    icon: IconAlertTriangle,
  },
  "not-recommended": {
    label: "Not Recommended",
    sentence: "Heavy rain expected - cleaning not recommended",
    tone: "poor",
    icon: IconUmbrella,
  },
};

export interface WeatherIconProps {
  readonly size?: number | string;
  readonly stroke?: number | string;
  readonly "aria-hidden"?: boolean;
}

/** The description beside it says the same in words. */
export const weatherIcon: Record<WeatherIcon, ComponentType<WeatherIconProps>> = {
  clear: IconSun,
  "clear-night": IconMoonStars,
  "partly-cloudy": IconCloudSun,
  "partly-cloudy-night": IconCloudMoon,
  cloudy: IconCloud,
  fog: IconCloudFog,
  drizzle: IconDroplets,
  rain: IconCloudRain,
  snow: IconCloudSnow,
  thunderstorm: IconCloudStorm,
  unknown: IconCloudQuestion,
};
