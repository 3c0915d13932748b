import type { ContactPoint } from "@suncrew/contract/notifications/contact-points.ts";
import type {
  NotificationRule,
  RuleFilter,
  RuleStep,
  RuleTarget,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { useQuery } from "@tanstack/react-query";
import { contactPointsQuery, optionsQuery, rotasQuery, teamsQuery } from "./notification-calls.ts";
import { severityLook } from "../alerts/public.ts";
import { alertKindWord } from "./notification-looks.ts";

const all = new Intl.ListFormat("en-GB", { type: "conjunction" });
/** More of them are counted. */
const NAMED = 4;

interface Named {
  readonly id: number;
  readonly name: string;
}

function namesOf(ids: readonly number[], known: readonly Named[]): readonly string[] {
  return ids.map((id) => known.find((one) => one.id === id)?.name ?? "one that was deleted");
}

/** All of them, or the first and how many more. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return more > 1 ? `${names.slice(0, NAMED).join(", ")} and ${more} more` : all.format(names);
}

/** "Critical and Warning: lost while moving and site dark". */
export function alertsText({ severities, kinds }: Pick<RuleFilter, "severities" | "kinds">): string {
  const worst = (["CRITICAL", "WARNING", "INFO"] as const).filter((severity) => severities.includes(severity));
  const isAny = worst.length === 0 || worst.length === 3;
  const how = isAny ? "All alerts" : all.format(worst.map((severity) => severityLook[severity].label));
  if (kinds.length === 0) return how;
  const which = listed(kinds.map((kind) => alertKindWord[kind].toLowerCase()));
  return isAny ? which.charAt(0).toUpperCase() + which.slice(1) : `${how}: ${which}`;
}

interface KnownPlaces {
  readonly sites: readonly Named[];
  readonly partners: readonly Named[];
  /** Said where a filter names none. */
  readonly everywhere: string;
}

/** "at all sites", "at Bhadla Solar Park, in Rajasthan, maintained by SunCare Services". */
export function placesText(
  { site_ids, states, partner_ids }: Pick<RuleFilter, "site_ids" | "states" | "partner_ids">,
  { sites, partners, everywhere }: KnownPlaces,
): string {
  const parts = [
    ...(site_ids.length === 0 ? [] : [`at ${listed(namesOf(site_ids, sites))}`]),
    ...(states.length === 0 ? [] : [`in ${listed(states)}`]),
    ...(partner_ids.length === 0 ? [] : [`maintained by ${listed(namesOf(partner_ids, partners))}`]),
  ];
  return parts.length === 0 ? everywhere : parts.join(", ");
}

function secondsText(seconds: number): string {
  return seconds % 60 === 0 && seconds > 60 ? `${seconds / 60} min` : `${seconds} s`;
}

/** When the first step tells, such as "After 60 s:". */
export const whenText = (waitSeconds: number) =>
  waitSeconds === 0 ? "At once:" : `After ${secondsText(waitSeconds)}:`;

/** Each step's time and whom it tells. */
export function stepTexts({ steps, target_names: names, wait_seconds: wait }: NotificationRule) {
  return steps.map(({ after_minutes: minutes, to }, index) => ({
    when: index === 0 ? whenText(wait) : `After ${minutes} min:`,
    whom: listed(to.map((target, place) => targetText(target, names[index]?.[place] ?? null))),
  }));
}

/** Names tell what they are where that is not plain. */
function targetText({ kind, role }: RuleTarget, name: string | null): string {
  if (kind === "PARTNER") return "the site's partner";
  if (kind === "SITE") {
    return role === "OWNER"
      ? "the site's owner"
      : role === "CARETAKER"
        ? "the site's caretaker"
        : "the site's contacts";
  }
  if (name === null) return "somebody who was deleted";
  return kind === "ROTA" ? `rota ${name}` : kind === "TEAM" ? `team ${name}` : name;
}

/** What follows the steps. */
export function telling({
  repeat_minutes: repeat,
  tells_cleared: tellsCleared,
  steps,
}: Pick<NotificationRule, "repeat_minutes" | "tells_cleared" | "steps">): string {
  const repeats =
    repeat === null
      ? steps.length > 1
        ? "Each step once, until somebody acknowledges"
        : "Told once"
      : `Repeats every ${repeat} min until somebody acknowledges`;
  return `${repeats} · ${tellsCleared ? "with all-clear" : "without all-clear"}`;
}

/** Whether messages are sent to a contact point. */
export const isUsed = ({ enabled, unsubscribed_at: left }: ContactPoint) => enabled && left === null;

/** Whether a step reaches anybody, as far as that is known: true while it is not. */
export function useReach(): (step: Pick<RuleStep, "to">) => boolean {
  const points = useQuery(contactPointsQuery(false)).data;
  const people = useQuery(optionsQuery).data?.people;
  const teams = useQuery(teamsQuery).data;
  const rotas = useQuery(rotasQuery).data;
  if (points === undefined || people === undefined || teams === undefined || rotas === undefined) return () => true;
  const used = points.filter(isUsed);
  const hasPoint = (kind: "PERSON" | "TEAM", id: number | undefined) =>
    used.some(({ owner }) => owner.kind === kind && owner.id === id);
  const reachesTarget = ({ kind, id }: RuleTarget): boolean => {
    switch (kind) {
      case "CONTACT_POINT":
        return used.some((point) => point.id === id);
      case "PERSON":
        return hasPoint("PERSON", id);
      case "TEAM": {
        const members = teams.find((team) => team.id === id)?.members ?? [];
        return hasPoint("TEAM", id) || members.some(({ user_id: member }) => hasPoint("PERSON", member));
      }
      case "ROTA": {
        // Everybody has a turn.
        const members = rotas.find((rota) => rota.id === id)?.members ?? [];
        return members.some((member) => member !== null && hasPoint("PERSON", member.user_id));
      }
      // Depends on the alert's site.
      case "PARTNER":
      case "SITE":
        return true;
    }
  };
  return ({ to }) => to.some(reachesTarget);
}
