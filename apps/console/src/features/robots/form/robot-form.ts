import type { Device } from "@suncrew/contract/devices/devices.ts";
import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { robotBodySchema, type SerialNumber } from "@suncrew/contract/robots/robot-forms.ts";
import type { RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { serialBlockedReason } from "@suncrew/domain/devices/serial-numbers.ts";
import { DUPLICATE_ROBOT_NAME, robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import {
  type EntityRules,
  type FieldProblems,
  problemsByField,
  schemaErrors,
} from "../../../platform/form/entity-form.ts";
import { matchesSearch } from "../../../ui/matches-search.ts";

/** §3 Robot form fields as the dialog holds them, and the robot's site. */
export interface RobotForm {
  readonly name: string;
  readonly serialNumber: string;
  readonly motorType: string;
  readonly controlType: string;
  /** `YYYY-MM-DD`; empty while none is chosen. */
  readonly installationDate: string;
  readonly siteId: number;
}

export type RobotField = keyof RobotForm;

/** In the order of the dialog. */
export const ROBOT_FIELDS: readonly RobotField[] = [
  "serialNumber",
  "name",
  "installationDate",
  "motorType",
  "controlType",
  "siteId",
];

export const robotFieldLabel: Record<RobotField, string> = {
  name: "Robot name",
  serialNumber: "Serial number",
  motorType: "Motor type",
  controlType: "Control type",
  installationDate: "Installation date",
  siteId: "Site",
};

const fieldOfWire: Readonly<Record<string, RobotField>> = {
  robot_name: "name",
  serial_number: "serialNumber",
  motor_type: "motorType",
  control_type: "controlType",
  installation_date: "installationDate",
  site_id: "siteId",
};

/** A new robot's form: it is installed today, by the site's calendar, unless somebody says otherwise. */
export function emptyRobotForm(siteId: number, siteToday: string): RobotForm {
  return { name: "", serialNumber: "", motorType: "", controlType: "", installationDate: siteToday, siteId };
}

/** Offered whatever is in use; anything else can be typed. */
const USUAL_TYPES = {
  motorType: ["BLDC", "DC Geared", "Stepper"],
  controlType: ["PLC", "Microcontroller"],
} as const;

/** The list of the types in use and of usual ones, each once; types that differ only in case are one. */
export function typeChoices(field: keyof typeof USUAL_TYPES, inUse: readonly string[]): readonly string[] {
  const known = new Set(inUse.map((type) => type.toLowerCase()));
  return [...inUse, ...USUAL_TYPES[field].filter((type) => !known.has(type.toLowerCase()))];
}

export function robotFormOf(row: RobotWithSettings): RobotForm {
  return {
    name: stripInvisible(row.robot_name),
    serialNumber: row.serial_number,
    motorType: stripInvisible(row.motor_type ?? ""),
    controlType: stripInvisible(row.control_type ?? ""),
    installationDate: row.installation_date,
    siteId: row.site_id,
  };
}

/** The body of robots/update (§7), and robots/create's besides its defaults. */
export function robotBodyOf(form: RobotForm) {
  return {
    site_id: form.siteId,
    robot_name: form.name.trim(),
    serial_number: form.serialNumber.trim(),
    motor_type: form.motorType.trim(),
    control_type: form.controlType.trim(),
    installation_date: form.installationDate,
  };
}

/**
 * §5 Robot form: the problem of each field; the server validates with the same schema. `others` are the
 * robots of the form's site without the edited one.
 */
export function robotFormProblems(
  form: RobotForm,
  others: readonly Pick<RobotWithSettings, "robot_name">[],
): FieldProblems<RobotField> {
  const key = robotNameKey(form.name);
  const isTaken = key !== "" && others.some((other) => robotNameKey(other.robot_name) === key);
  return {
    ...(isTaken && { name: DUPLICATE_ROBOT_NAME }),
    ...problemsByField(schemaErrors(robotBodySchema.safeParse(robotBodyOf(form)).error?.issues), robotRules),
    ...(form.installationDate === "" && { installationDate: "Installation date is required" }),
  };
}

/** How concurrent edits of a robot are merged, and which field a server error belongs to. */
export const robotRules: Omit<EntityRules<RobotForm, RobotField>, "textOf"> = {
  units: ROBOT_FIELDS.map((field) => [field]),
  isSame: (one, other, field) => String(one[field]).trim() === String(other[field]).trim(),
  labelOf: (field) => robotFieldLabel[field],
  fieldOf: (wire) => (Object.hasOwn(fieldOfWire, wire) ? (fieldOfWire[wire] ?? null) : null),
};

/** Choosing a serial number also sets the name to it (§5 Robot form). */
export function withSerialNumber(serialNumber: string): Pick<RobotForm, "serialNumber" | "name"> {
  return { serialNumber, name: serialNumber };
}

/** Why the serial number or the site of a robot cannot be changed now; null if it can. */
interface IdentityBlockedReasons {
  readonly serialNumber: string | null;
  readonly siteId: string | null;
}

/** The server enforces the same rules under a lock on the robot; `robot` is null for a new one. */
export function identityBlockedReasons(
  robot: Pick<RobotLive, "motion" | "lost_while_moving" | "online" | "group_id" | "operating_mode"> | null,
): IdentityBlockedReasons {
  if (robot === null) return { serialNumber: null, siteId: null };
  const both =
    robot.group_id !== null
      ? "Cannot be changed while the robot is in a group."
      : robot.online && robot.motion === "MOVING"
        ? "Cannot be changed while the robot is cleaning."
        : robot.lost_while_moving?.state === "MAY_BE_MOVING"
          ? "Cannot be changed while the robot may be moving."
          : null;
  const isLocked = robot.operating_mode === "maintenance";
  return {
    serialNumber: both ?? (isLocked ? "Cannot be changed while the robot is in maintenance." : null),
    siteId: both,
  };
}

/**
 * Why a robot cannot be deleted now, as far as the console knows; otherwise null. The server decides: it also knows of,
 * for example, an unconfirmed Stop.
 */
export function deleteBlockedReason(
  robot: Pick<RobotLive, "motion" | "lost_while_moving" | "online" | "group_id" | "serial_number">,
  groupName: string | null,
): string | null {
  const who = `Robot ${robot.serial_number}`;
  const reasons = [
    robot.online && robot.motion === "MOVING" && `${who} is cleaning. Stop it first.`,
    robot.lost_while_moving?.state === "MAY_BE_MOVING" &&
      `${who} was lost while it was cleaning and may be moving. Please try again once it is back or must have stopped.`,
    robot.group_id !== null &&
      `${who} is in ${groupName === null ? "a group" : `the group "${groupName}"`}. Take it out of the group first.`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0 ? null : reasons.join(" ");
}

/**
 * A serial number in the picker: free, on another robot, the edited robot's own, or free and allocated to a
 * partner that does not maintain the site.
 */
export interface SerialChoice {
  readonly serialNumber: string;
  readonly state: "free" | "assigned" | "own" | "elsewhere";
  /** If it is used elsewhere: by whom. */
  readonly partner?: string;
}

/**
 * The partner of each device that cannot be used at a site of the partner, by serial number: only Super Admins see
 * those.
 */
export function partnersElsewhere(
  devices: readonly Pick<Device, "serial" | "partner">[],
  sitePartnerId: number | null,
): ReadonlyMap<string, string> {
  const isElsewhere = ({ partner }: Pick<Device, "partner">) =>
    serialBlockedReason({
      askingPartnerId: null,
      sitePartnerId,
      device: { partnerId: partner.id, isRetired: false },
      otherRobot: null,
    }) !== null;
  return new Map(devices.filter(isElsewhere).map(({ serial, partner }) => [serial, partner.name]));
}

/**
 * §3 Assignable serial numbers: those that match the search, in the server's order; `own` may be chosen although it is
 * assigned.
 */
export function serialChoices(
  numbers: readonly SerialNumber[],
  own: string | null,
  search: string,
  elsewhere: ReadonlyMap<string, string> = new Map(),
): readonly SerialChoice[] {
  return numbers
    .filter(({ serial_number }) => matchesSearch(search, [serial_number]))
    .map(({ serial_number: serialNumber, assigned }) => {
      if (serialNumber === own) return { serialNumber, state: "own" };
      if (assigned) return { serialNumber, state: "assigned" };
      const partner = elsewhere.get(serialNumber);
      return partner === undefined ? { serialNumber, state: "free" } : { serialNumber, state: "elsewhere", partner };
    });
}
