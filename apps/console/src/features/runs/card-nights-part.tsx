import type { ReactNode } from "react";
import { firstContentShown } from "../../platform/first-content.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import type { CardNightsProps } from "./card-nights.tsx";

const withoutNights = ({ reading, line }: CardNightsProps): ReactNode => (
  <>
    {reading}
    {line}
  </>
);

/** A robot's last seven nights on its card, beside what the card says anyway; loaded after the first robots. */
export const CardNights = lazyPart<CardNightsProps>(
  async () => {
    await firstContentShown();
    return (await import("./card-nights.tsx")).CardNights;
  },
  { waiting: withoutNights, failed: (_failure, props) => withoutNights(props) },
);
