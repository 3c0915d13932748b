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
import type { ComponentType, ReactNode } from "react";
import type { Look } from "../../ui/look.ts";

interface CloudIconProps {
  readonly size?: number | string;
  readonly stroke?: number | string;
  readonly "aria-hidden"?: boolean;
}

/** A cloud in the style of the icon library, which has none with a sun or moon behind it. */
function CloudBefore({ size = 24, stroke = 2, children, ...rest }: CloudIconProps & { readonly children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      focusable="false"
      {...rest}
    >
      <path d="M6.4 20C4 20 2 18.2 2 15.9s2-4.1 4.4-4.1c.8-2.4 3-3.6 5.2-3.3 2.4.3 4.3 2.2 4.3 4.8h.6a3.35 3.35 0 0 1 0 6.7z" />
      {children}
    </svg>
  );
}

function IconCloudSun(props: CloudIconProps) {
  return (
    <CloudBefore {...props}>
      <path d="M13 5.2a3.8 3.8 0 0 1 6.6 3.7M15.5 1.3v.9M21.2 3.2l-.7.7M22.7 8.4h.6M10.4 3l.6.6" />
    </CloudBefore>
  );
}

function IconCloudMoon(props: CloudIconProps) {
  return (
    <CloudBefore {...props}>
      <path d="M13.4 5.3a4.6 4.6 0 0 1 3.5-3 4.4 4.4 0 0 0 4.9 6.1 4.6 4.6 0 0 1-2.4 1.9" />
    </CloudBefore>
  );
}

interface AdviceLook extends Look {
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

interface WeatherIconProps {
  readonly size?: number | string;
  readonly stroke?: number | string;
  readonly "aria-hidden"?: boolean;
}

/** The description beside it says the same as text. */
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
