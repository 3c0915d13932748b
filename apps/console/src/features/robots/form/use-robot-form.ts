import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import type { OtherValue } from "../../../ui/changed-meanwhile.tsx";
import { saveRobot } from "./robot-form-calls.ts";
import {
  emptyRobotForm,
  ROBOT_FIELDS,
  robotDifferencesOf,
  robotFieldLabel,
  robotFormOf,
  robotFormProblems,
} from "./robot-form.ts";
import type { RobotField, RobotForm, RobotProblems } from "./robot-form.ts";

const NONE: readonly RobotWithSettings[] = [];
const NO_SITES: readonly Site[] = [];

export interface RobotFormState {
  readonly form: RobotForm;
  readonly change: (by: Partial<RobotForm>) => void;
  readonly touch: (field: RobotField) => void;
  /** The sentence shown at a field; null where nothing is wrong or nobody has been there yet. */
  readonly problemAt: (field: RobotField) => string | null;
  /** The sites that the robot may be at. */
  readonly sites: readonly Site[];
  /** The edited robot as it is now; null for a new one. */
  readonly now: RobotWithSettings | null;
  /** The robots of the form's site. */
  readonly neighbours: readonly RobotWithSettings[];
  readonly isChanged: boolean;
  /** Why Save is disabled; null where it is not. */
  readonly obstacle: string | null;
  readonly isSaving: boolean;
  /** Somebody else saved since: what differs, and the two ways on. */
  readonly meanwhile: {
    readonly differences: readonly OtherValue[];
    readonly takeTheirs: () => void;
    readonly keepMine: () => void;
  } | null;
  /** Shows every field's sentence; answers the first field that is wrong. */
  readonly tryFields: () => RobotField | null;
  /** Saves where nothing stands against it; answers the first wrong field, or null. */
  readonly save: () => Promise<RobotField | null>;
}

/** The dialog's form (§5 Robot form): `opened` is the robot to edit, null for a new one at `siteId`. */
export function useRobotForm(siteId: number, opened: RobotWithSettings | null, onSaved: () => void): RobotFormState {
  const [base, setBase] = useState(() => ({
    form: opened === null ? emptyRobotForm(siteId) : robotFormOf(opened),
    version: opened?.version ?? 0,
  }));
  const [form, setForm] = useState(base.form);
  const [touched, setTouched] = useState<readonly RobotField[]>([]);
  const [refused, setRefused] = useState<RobotProblems>({});
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const here = useRobotsAt(siteId);
  const neighbours = useRobotsAt(form.siteId) ?? NONE;
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? NO_SITES;

  const ownId = opened?.robot_id ?? null;
  const now = here?.find((row) => row.robot_id === ownId) ?? null;
  const isGone = opened !== null && here !== undefined && now === null && !isSaving;
  const theirs = now !== null && now.version !== base.version && !isSaving ? robotFormOf(now) : null;
  const isUntouched = robotDifferencesOf(form, base.form).length === 0;
  if (now !== null && theirs !== null && (isUntouched || robotDifferencesOf(form, theirs).length === 0)) {
    // Nobody's entries differ: what the other person saved is simply the new beginning.
    setBase({ form: theirs, version: now.version });
    setForm(theirs);
  }

  const problems = robotFormProblems(
    form,
    neighbours.filter((row) => row.robot_id !== ownId),
  );
  const wrong = ROBOT_FIELDS.filter((field) => problems[field] !== undefined);
  const obstacle = obstacleOf();

  function obstacleOf(): string | null {
    if (isGone) return "This robot has been deleted or moved meanwhile.";
    if (theirs !== null) return "Choose first: take theirs or keep mine.";
    if (wrong.length > 0) return `Still missing or wrong: ${wrong.map((field) => robotFieldLabel[field]).join(", ")}.`;
    return isUntouched ? "Nothing has been changed." : null;
  }

  const change = (by: Partial<RobotForm>) => {
    setForm((former) => ({ ...former, ...by }));
    setRefused((former) => Object.fromEntries(Object.entries(former).filter(([field]) => !Object.hasOwn(by, field))));
  };
  const tryFields = () => {
    setTouched(ROBOT_FIELDS);
    return wrong[0] ?? null;
  };
  const save = async () => {
    if (isUnderWay.current || obstacle !== null) return tryFields();
    isUnderWay.current = true;
    setSaving(true);
    const outcome = await saveRobot(ownId === null ? null : { id: ownId, siteId, version: base.version }, form);
    if (outcome.kind === "saved") {
      onSaved();
      return null;
    }
    isUnderWay.current = false;
    setSaving(false);
    if (outcome.kind !== "refused") return null;
    setRefused(outcome.problems);
    return ROBOT_FIELDS.find((field) => outcome.problems[field] !== undefined) ?? null;
  };
  const shown = (field: RobotField, text: string) =>
    field === "siteId" ? (sites.find((site) => String(site.id) === text)?.name ?? text) : text;

  return {
    form,
    change,
    touch: (field) => setTouched((former) => [...new Set([...former, field])]),
    problemAt: (field) => {
      // A name that another robot has is said while it is typed.
      const isSeen = touched.includes(field) || (field === "name" && form.name !== "");
      return refused[field] ?? (isSeen ? problems[field] : undefined) ?? null;
    },
    sites,
    now,
    neighbours,
    isChanged: !isUntouched,
    obstacle,
    isSaving,
    meanwhile:
      now === null || theirs === null
        ? null
        : {
            differences: robotDifferencesOf(form, theirs).map(({ field, mine, theirs: other }) => ({
              label: robotFieldLabel[field],
              mine: shown(field, mine),
              theirs: shown(field, other),
            })),
            takeTheirs: () => {
              setBase({ form: theirs, version: now.version });
              setForm(theirs);
              setRefused({});
            },
            keepMine: () => setBase({ form: theirs, version: now.version }),
          },
    tryFields,
    save,
  };
}

/** Those last known, also where they could not be loaded again; undefined until they were. */
function useRobotsAt(siteId: number): readonly RobotWithSettings[] | undefined {
  return useQuery(routeQuery(robotDetailsWithSettings, { params: { siteId } })).data?.robots;
}
