import { type SiteStrategies, siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { shortDayText } from "../../ui/days.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import shared from "../../ui/shared.module.css";
import { energyText, hasBand, moneyBandText, moneyText, percentText } from "./soiling-text.ts";
import classes from "./strategies-section.module.css";

type Outcome = SiteStrategies["strategies"][number];

/** While air or weather is missing: the first may be on their way. In milliseconds. */
const FIRST_MS = 5_000;

/** §11 Cleaning by need: what it would have cost in the last year, against fixed intervals. */
export function StrategiesSection({ site }: { readonly site: Site }) {
  const query = useQuery({
    ...routeQuery(siteStrategies, { params: { siteId: site.id } }),
    refetchInterval: ({ state }) => state.data !== undefined && isOnItsWay(state.data) && FIRST_MS,
  });
  return (
    <section className={`${shared["card"]} ${classes["strategies"]}`} aria-label="Cleaning by need">
      <div>
        <h3 className={shared["title"]}>
          Cleaning by need
          {query.data?.source === "sample" && (
            <>
              {" "}
              <span className={shared["tag"]}>Sample</span>
            </>
          )}
        </h3>
        <QueryState
          query={query}
          loading={<SkeletonLines label="Loading the comparison" lines={8} lineHeightPx={32} />}
          failed="The comparison over a year could not be loaded."
        >
          {(compared) => <Compared compared={compared} />}
        </QueryState>
      </div>
    </section>
  );
}

function isOnItsWay({ strategies, missing }: SiteStrategies): boolean {
  return strategies.length === 0 && missing.some((gap) => gapLook[gap].by === "inputs");
}

const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

function Compared({ compared }: { readonly compared: SiteStrategies }) {
  const { strategies, missing, days, known_days: knownDays, from, to, currency } = compared;
  if (strategies.length === 0 || currency === null) {
    const needs = missing.map((gap) => gapLook[gap].words);
    return (
      <p className={shared["muted"]}>
        {needs.length > 0
          ? `What it would have cost in the last year, against daily and weekly, needs ${list.format(needs)}.`
          : "No whole day of the last year is known yet, so that nothing can be compared."}
      </p>
    );
  }
  return (
    <>
      <p>{verdictOf(strategies, currency)}</p>
      <table className={classes["table"]}>
        <thead>
          <tr>
            {["Cleaned", "In all", "Cleaning", "Lost energy", "Runs of each row"].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {strategies.map((outcome) => (
            <OutcomeRow key={outcome.kind} outcome={outcome} currency={currency} />
          ))}
        </tbody>
      </table>
      <p className={shared["muted"]}>
        {`Modelled from the stored air and weather of ${shortDayText(from)} to ${shortDayText(to)}: of ${days} days, ${knownDays} are known`}
        {knownDays < days && "; what is missing counts as clean air without rain and sun"}
        {`. All ${compared.rows} rows are cleaned together at ${compared.local_time}, by need ${compared.least_days} to ${compared.most_days} days apart, and begin clean. `}
        The rain of the next two days is taken as known, which no forecast is; what really happened at the site does not
        count. Below each sum, the same with half and with twice the particles.
      </p>
    </>
  );
}

/** Three digits that count: the model knows no more. */
function threeDigits(amount: number): number {
  return Number(amount.toPrecision(3));
}
function rounded({ value, low, high }: Outcome["cost"]): Outcome["cost"] {
  return { value: threeDigits(value), low: threeDigits(low), high: threeDigits(high) };
}
function sumText(amount: number, currency: string): string {
  return moneyText(threeDigits(amount), currency);
}

const words: Record<Outcome["kind"], string> = {
  BY_NEED: "When worth it",
  DAILY: "Daily",
  WEEKLY: "Weekly",
  NEVER: "Never",
};

function OutcomeRow({ outcome, currency }: { readonly outcome: Outcome; readonly currency: string }) {
  const { kind, cost, cleaning_cost: cleaning, lost_money: lost, lost_kwh: lostKwh, cleanings } = outcome;
  return (
    <tr data-kind={kind}>
      <th scope="row">{words[kind]}</th>
      <td data-label="In all">
        <strong>{sumText(cost.value, currency)}</strong>
        {hasBand(cost) && <span className={classes["band"]}>{moneyBandText(rounded(cost), currency)}</span>}
      </td>
      <td data-label="Cleaning">{sumText(cleaning, currency)}</td>
      <td data-label="Lost energy">
        {sumText(lost.value, currency)}
        <span className={classes["band"]}>
          {energyText(lostKwh.value)}, {percentText(outcome.loss_percent / 100)}
        </span>
      </td>
      <td data-label="Runs of each row">{cleanings.toLocaleString("en-GB")}</td>
    </tr>
  );
}

/** By need against the cheaper of the fixed intervals. */
function verdictOf(strategies: readonly Outcome[], currency: string): string {
  const byNeed = strategies.find(({ kind }) => kind === "BY_NEED");
  const [best] = strategies
    .filter(({ kind }) => kind === "DAILY" || kind === "WEEKLY")
    .toSorted((one, other) => one.cost.value - other.cost.value);
  if (byNeed === undefined || best === undefined) return "";
  const saved = best.cost.value - byNeed.cost.value;
  const than = `${saved < 0 ? "more" : "less"} than cleaning ${words[best.kind].toLowerCase()}`;
  return `In the last year, cleaning when worth it would have cost ${sumText(byNeed.cost.value, currency)}, ${sumText(Math.abs(saved), currency)} ${than}, with ${byNeed.cleanings} runs of each row instead of ${best.cleanings}.`;
}
