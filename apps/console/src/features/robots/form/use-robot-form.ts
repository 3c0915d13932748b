import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { type ConcurrentEdit, RESOLVE_FIRST } from "../../../ui/edit-conflict.tsx";
import { useMergedEdits } from "../../../ui/use-merged-edits.ts";
import { saveRobot } from "./robot-form-calls.ts";
import {
  emptyRobotForm,
  ROBOT_FIELDS,
  robotEdits,
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
  /** What somebody else saved since. */
  readonly meanwhile: ConcurrentEdit | null;
  /** Why the robot can never be saved again from here; null where it can. */
  readonly gone: string | null;
  /** Shows every field's sentence; answers the first field that is wrong. */
  readonly tryFields: () => RobotField | null;
  /** Saves where nothing stands against it; answers the first wrong field, or null. */
  readonly save: () => Promise<RobotField | null>;
}

/** The dialog's form (§5 Robot form): `opened` is the robot to edit, null for a new one at `siteId`. */
export function useRobotForm(siteId: number, opened: RobotWithSettings | null, onSaved: () => void): RobotFormState {
  const [touched, setTouched] = useState<readonly RobotField[]>([]);
  const [refused, setRefused] = useState<RobotProblems>({});
  const [isSaving, setSaving] = useState(false);
  const isUnderWay = useRef(false);
  const here = useRobotsAt(siteId);
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? NO_SITES;

  const ownId = opened?.robot_id ?? null;
  const now = here?.find((row) => row.robot_id === ownId) ?? null;
  const edits = useMergedEdits(
    opened === null ? { form: emptyRobotForm(siteId), version: 0 } : storedFormOf(opened),
    now === null || isSaving ? null : storedFormOf(now),
    {
      ...robotEdits,
      textOf: (values, field) =>
        field === "siteId" ? (sites.find(({ id }) => id === values.siteId)?.name ?? "") : values[field].trim(),
    },
  );
  const { form, base, isChanged, meanwhile } = edits;
  const neighbours = useRobotsAt(form.siteId) ?? NONE;
  const isGone = opened !== null && here !== undefined && now === null && !isSaving;
  const gone = isGone ? "This robot has been deleted meanwhile, or moved to another site." : null;

  const problems = robotFormProblems(
    form,
    neighbours.filter((row) => row.robot_id !== ownId),
  );
  const wrong = ROBOT_FIELDS.filter((field) => problems[field] !== undefined);
  const obstacle = obstacleOf();

  function obstacleOf(): string | null {
    if (gone !== null) return gone;
    if (meanwhile?.kind === "collides") return RESOLVE_FIRST;
    if (wrong.length > 0) return `Still missing or wrong: ${wrong.map((field) => robotFieldLabel[field]).join(", ")}.`;
    return isChanged ? null : "Nothing has been changed.";
  }

  const change = (by: Partial<RobotForm>) => {
    edits.change(by);
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
    isChanged,
    obstacle,
    isSaving,
    meanwhile,
    gone,
    tryFields,
    save,
  };
}

function storedFormOf(row: RobotWithSettings) {
  return { form: robotFormOf(row), version: row.version };
}

/** Those last known, also where they could not be loaded again; undefined until they were. */
function useRobotsAt(siteId: number): readonly RobotWithSettings[] | undefined {
  return useQuery(routeQuery(robotDetailsWithSettings, { params: { siteId } })).data?.robots;
}
