import { stripInvisible } from "@suncrew/contract/http/text.ts";
import { robotBodySchema } from "@suncrew/contract/robots/robot-forms.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { DUPLICATE_ROBOT_NAME, robotNameKey } from "@suncrew/domain/robots/robot-name.ts";
import {
  type EntityRules,
  type FieldProblems,
  problemsByField,
  schemaErrors,
} from "../../../platform/form/entity-form.ts";

/** §3 Robot form fields, as they stand in the dialog, and the site that the robot is at. */
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

export function emptyRobotForm(siteId: number): RobotForm {
  return { name: "", serialNumber: "", motorType: "", controlType: "", installationDate: "", siteId };
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

/** §7 robots/update, and what robots/create has besides its defaults. */
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
 * §5 Robot form: what is wrong with each field; the server holds the same rules by the same schema. `others` are the
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

/** How two people's edits of a robot are put together, and where errors of the server belong. */
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
