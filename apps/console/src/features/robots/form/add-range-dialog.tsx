import { Box, Checkbox, TextInput } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { deviceList } from "@suncrew/contract/devices/devices.ts";
import { serialSchema } from "@suncrew/contract/http/values.ts";
import { createRobots, robotTypes, ROBOTS_AT_ONCE, serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { serialRange } from "@suncrew/domain/devices/serial-numbers.ts";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { call } from "../../../platform/api/call.ts";
import { change, refusalIn } from "../../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { DayField } from "../../../ui/day-field.tsx";
import { todayIn } from "../../../ui/days.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormButtons } from "../../../ui/form-buttons.tsx";
import { type RobotOutcome, RobotOutcomes } from "../../../ui/robot-outcomes.tsx";
import { useBusy } from "../../../ui/use-busy.ts";
import { type NewSecrets, provision, SecretsDialog } from "../../devices/public.ts";
import classes from "./robot-dialog.module.css";
import { robotFieldLabel } from "./robot-form.ts";
import { TypeField } from "./type-field.tsx";

interface AddRangeDialogProps {
  readonly siteId: number;
  readonly onClose: () => void;
}

const NOT_ADDED = "It was not added. Please try again.";

/** Robots numbered one after the other, such as SCR-1021 to SCR-1040, added in one step, with their devices if wanted. */
export function AddRangeDialog({ siteId, onClose }: AddRangeDialogProps) {
  const { role } = useSignedIn();
  const site = useQuery(routeQuery(siteDetails, {})).data?.find(({ id }) => id === siteId);
  const types = useQuery(routeQuery(robotTypes, {})).data;
  const devices = useQuery({ ...routeQuery(deviceList, {}), enabled: mayCall(role, "deviceList") }).data;
  const [today] = useState(() => todayIn(site?.timezone, new Date()));
  const [form, setForm] = useState({ first: "", last: "", day: today, motorType: "", controlType: "" });
  const [provisions, setProvisions] = useState(true);
  const [isTried, setTried] = useState(false);
  const [isSaving, run] = useBusy();
  const [secrets, setSecrets] = useState<NewSecrets | null>(null);
  const [outcomes, setOutcomes] = useState<readonly RobotOutcome[] | null>(null);
  const element = useRef<HTMLFormElement>(null);

  const { serials, problem } = rangeOf(form.first, form.last);
  const missing = devices === undefined || serials === null ? [] : withoutDevice(serials, devices);
  const problems = {
    first: problem?.first,
    last: problem?.last,
    day: form.day === "" ? "Installation date is required" : undefined,
  };
  const blocked = Object.values(problems).find((text) => text !== undefined) ?? null;
  const isChanged = outcomes === null && (form.first !== "" || form.last !== "");
  const close = useGuardedClose({ isChanged, isSaving, shownBy: ["site", "tab"] }, onClose);
  const set = (by: Partial<typeof form>) => setForm((now) => ({ ...now, ...by }));

  const add = async (wanted: readonly string[]): Promise<readonly RobotOutcome[]> => {
    const outcome = await change({
      send: () =>
        call(createRobots, {
          body: {
            site_id: siteId,
            serial_numbers: [...wanted],
            installation_date: form.day,
            motor_type: form.motorType.trim(),
            control_type: form.controlType.trim(),
          },
        }),
      invalidates: [
        queryKeyOf(robotDetailsWithSettings, { params: { siteId } }),
        ...[siteDetails, serialNumbers, robotTypes].map((route) => queryKeyOf(route)),
      ],
      success: null,
      failure: null,
    });
    if (outcome.kind === "done") {
      return outcome.answer.robots.map(({ serial_number, reason }) => ({ serial: serial_number, reason }));
    }
    const reason = refusalIn(outcome, NOT_ADDED)?.reason ?? NOT_ADDED;
    return wanted.map((serial) => ({ serial, reason }));
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (serials === null || blocked !== null) return showProblems();
    await run(async () => {
      const issued = provisions ? await provisionAll(missing, site?.maintenance_partner_id ?? null) : null;
      setSecrets(issued);
      // Nothing was provisioned, and a message says why: the form is still there.
      if (provisions && missing.length > 0 && issued === null) return;
      setOutcomes(await add(serials));
    });
  };
  const retry = (failed: readonly string[]) =>
    void run(async () => {
      const again = new Map((await add(failed)).map((outcome) => [outcome.serial, outcome]));
      setOutcomes((now) => now?.map((outcome) => again.get(outcome.serial) ?? outcome) ?? null);
    });
  const showProblems = () => {
    setTried(true);
    const wrong = problems.first !== undefined ? "first" : problems.last !== undefined ? "last" : "installationDate";
    element.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus();
  };
  const serialField = (name: "first" | "last") => ({
    name,
    value: form[name],
    error: isTried ? problems[name] : undefined,
    required: true,
    autoComplete: "off",
    maxLength: 40,
    disabled: isSaving,
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });

  return (
    <Dialog onClose={close} title="Add Robots" size={520} fullScreenBelow="30em">
      {outcomes === null ? (
        <form ref={element} noValidate onSubmit={(event) => void submit(event)}>
          <div className={classes["fields"]}>
            <TextInput label="First serial number" placeholder="SCR-1021" data-autofocus {...serialField("first")} />
            <TextInput label="Last serial number" placeholder="SCR-1040" {...serialField("last")} />
            <DayField
              label={robotFieldLabel.installationDate}
              name="installationDate"
              className={classes["fullWidth"] ?? ""}
              required
              disabled={isSaving}
              day={form.day}
              error={isTried ? problems.day : undefined}
              onChange={(day) => set({ day })}
            />
            <TypeField
              field="motorType"
              inUse={types?.motor_types}
              value={form.motorType}
              onChange={(motorType) => set({ motorType })}
            />
            <TypeField
              field="controlType"
              inUse={types?.control_types}
              value={form.controlType}
              onChange={(controlType) => set({ controlType })}
            />
          </div>
          <Box component="p" mih={20} mt={12} fz={13} fw={600} style={{ overflowWrap: "anywhere" }} role="status">
            {serials === null ? "No robots yet." : rangeText(serials)}
          </Box>
          {missing.length > 0 && (
            <Checkbox
              mt={8}
              checked={provisions}
              disabled={isSaving}
              label={missing.length === 1 ? "Provision its device, too" : `Provision ${missing.length} devices, too`}
              description={`${missing.length === 1 ? "One serial number has" : `${missing.length} serial numbers have`} no device yet. The secrets are shown once, after this step.`}
              onChange={(event) => setProvisions(event.currentTarget.checked)}
            />
          )}
          <FormButtons
            submitLabel={serials === null || serials.length === 1 ? "Add Robots" : `Add ${serials.length} Robots`}
            isSaving={isSaving}
            blockedReason={blocked}
            onRefused={showProblems}
            onCancel={close}
          />
        </form>
      ) : (
        <RobotOutcomes outcomes={outcomes} done="added" isRetrying={isSaving} onRetry={retry} onClose={onClose} />
      )}
      {secrets !== null && outcomes !== null && <SecretsDialog issued={secrets} onClose={() => setSecrets(null)} />}
    </Dialog>
  );
}

type Range =
  | { readonly serials: readonly string[]; readonly problem: null }
  | { readonly serials: null; readonly problem: { readonly first?: string; readonly last?: string } };

const NO_SERIAL = "Letters, digits, - and _ only, beginning with a letter or digit";

/** The serial numbers from the first to the last, or what is wrong with which of the two. */
export function rangeOf(firstText: string, lastText: string): Range {
  const [first, last] = [firstText.trim(), lastText.trim()];
  if (first === "") return { serials: null, problem: { first: "First serial number is required" } };
  if (!serialSchema.safeParse(first).success) return { serials: null, problem: { first: NO_SERIAL } };
  if (last === "") return { serials: null, problem: { last: "Last serial number is required" } };
  const serials = serialSchema.safeParse(last).success ? serialRange(first, last, ROBOTS_AT_ONCE) : null;
  if (serials !== null) return { serials, problem: null };
  const form = `Counts up the first one's last digits, such as SCR-1021 to SCR-1040, at most ${ROBOTS_AT_ONCE} robots`;
  return { serials: null, problem: { last: form } };
}

function rangeText(serials: readonly string[]): string {
  const [first, last] = [serials[0], serials.at(-1)];
  return serials.length === 1 ? `1 robot: ${first}` : `${serials.length} robots: ${first} to ${last}`;
}

function withoutDevice(serials: readonly string[], devices: readonly { readonly serial: string }[]): readonly string[] {
  const known = new Set(devices.map(({ serial }) => serial.toLowerCase()));
  return serials.filter((serial) => !known.has(serial.toLowerCase()));
}

/**
 * Provisions the devices for the partner of the site, in as few calls as there are gaps between those that exist; null
 * if none was.
 */
async function provisionAll(serials: readonly string[], partnerId: number | null): Promise<NewSecrets | null> {
  const all: NewSecrets[] = [];
  for (const { first, last } of runsOf(serials)) {
    const range = { first_serial: first, last_serial: last, ...(partnerId !== null && { partner_id: partnerId }) };
    const issued = await provision(range);
    // A message says why; what was provisioned before must still be shown.
    if (issued === null) break;
    all.push(issued);
  }
  const [first] = all;
  return first === undefined
    ? null
    : { message: all.map(({ message }) => message).join(" "), secrets: all.flatMap(({ secrets }) => secrets) };
}

/** Serial numbers of one range, in order, as parts without gaps. */
export function runsOf(serials: readonly string[]): readonly { readonly first: string; readonly last: string }[] {
  const runs: { first: string; last: string }[] = [];
  for (const serial of serials) {
    const run = runs.at(-1);
    if (run !== undefined && serialRange(run.last, serial, 2)?.length === 2) run.last = serial;
    else runs.push({ first: serial, last: serial });
  }
  return runs;
}
