import { textsOf } from "@suncrew/contract/http/coded-text.ts";
import type { SiteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { addDays } from "../schedules/calendar-date.ts";
import { type CleaningEconomics, whenWorthIt } from "./cleaning-value.ts";

/** The next night on which a cleaning of the whole site pays, and why. */

/** A night of the forecast, by what is expected at its time without a run until then. */
export interface NightAhead {
  /** By the site's calendar. */
  readonly date: string;
  /** Since the last cleaning. */
  readonly lostMoney: number;
  /** 0 to 1. */
  readonly loss: number;
  /** Cleaning rain soon after it: all rain of that day. */
  readonly rain: RainAhead | null;
}
export interface RainAhead {
  readonly mm: number;
  /** By the site's calendar. */
  readonly day: string;
}

/** Rain this soon after a night makes a cleaning in it useless. */
export const RAIN_NEAR_HOURS = 48;
/** No night is named beyond. */
const FORESEEN_DAYS = 365;

/** Why a night is worthwhile or not; a code keeps its parameters. */
export const cleaningTexts = textsOf({
  WORTH_IT: ({ lost, price, currency }: { readonly lost: number; readonly price: number; readonly currency: string }) =>
    `Soiling has cost ${moneyText(lost, currency)} since the last cleaning; a cleaning costs ${moneyText(price, currency)}.`,
  RAIN_NEAR: ({ rain_mm, day }: { readonly rain_mm: number; readonly day: string }) =>
    `Cleaning would pay, but ${rainText(rain_mm)} of rain is forecast for ${dayText(day)} and cleans as well.`,
  NOT_YET: ({
    loss_percent,
    worth_from_percent,
  }: {
    readonly loss_percent: number;
    readonly worth_from_percent: number;
  }) => `The loss is ${percentText(loss_percent)} tonight; a cleaning pays from ${percentText(worth_from_percent)}.`,
  UNKNOWN: () => "What it is computed from is missing or too old.",
});

type NextNight = SiteSoiling["next_night"];

export function unknownNight(): NextNight {
  const { code, text } = cleaningTexts.text("UNKNOWN", {});
  return { date: null, is_extrapolated: false, reason: code, reason_params: {}, text };
}

/**
 * The first night on which the money lost since the last cleaning reaches the price without cleaning rain near. `nights`
 * are those of the forecast, tonight first; beyond them it grows at the present rate.
 */
export function nextNight(economics: CleaningEconomics, currency: string, nights: readonly NightAhead[]): NextNight {
  const [tonight, last] = [nights[0], nights.at(-1)];
  if (tonight === undefined || last === undefined) return unknownNight();
  const { price } = economics;
  const worth = nights.filter(({ lostMoney }) => lostMoney >= price);
  const rain = worth.find((night) => night.rain !== null)?.rain ?? null;
  const found = worth.find((night) => night.rain === null);
  const date = found?.date ?? dateBeyond(economics, last);
  const foreseen = { date, is_extrapolated: found === undefined && date !== null };
  if (rain !== null) {
    const reason_params = { rain_mm: rain.mm, day: rain.day };
    return {
      ...foreseen,
      reason: "RAIN_NEAR",
      reason_params,
      text: cleaningTexts.text("RAIN_NEAR", reason_params).text,
    };
  }
  if (found === tonight) {
    const reason_params = { lost: tonight.lostMoney, price, currency };
    return { ...foreseen, reason: "WORTH_IT", reason_params, text: cleaningTexts.text("WORTH_IT", reason_params).text };
  }
  const worthFrom = whenWorthIt(economics, tonight.lostMoney, tonight.loss).loss;
  const reason_params = { loss_percent: tonight.loss * 100, worth_from_percent: worthFrom * 100 };
  return { ...foreseen, reason: "NOT_YET", reason_params, text: cleaningTexts.text("NOT_YET", reason_params).text };
}

function dateBeyond(economics: CleaningEconomics, last: NightAhead): string | null {
  const isCleaned = last.rain !== null;
  const { days } = whenWorthIt(economics, isCleaned ? 0 : last.lostMoney, isCleaned ? 0 : last.loss);
  return days <= FORESEEN_DAYS ? addDays(last.date, Math.max(1, Math.ceil(days))) : null;
}

const amounts = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const wholes = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

function moneyText(amount: number, currency: string): string {
  return `${Math.abs(amount) < 1000 ? amounts.format(amount) : wholes.format(amount)} ${currency}`;
}

/** One decimal, two below 0.1 %: a loss is not shown as none. */
export function percentText(percent: number): string {
  return `${percent.toFixed(percent < 0.1 ? 2 : 1)} %`;
}

export function rainText(mm: number): string {
  return `${mm < 10 ? Number(mm.toFixed(1)) : Math.round(mm)} mm`;
}

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
function dayText(date: string): string {
  return days.format(new Date(`${date}T00:00:00Z`));
}
