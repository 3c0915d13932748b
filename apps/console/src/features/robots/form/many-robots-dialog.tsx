import { Box, Select, Text, Textarea, TextInput } from "@mantine/core";
import {
  createGroup,
  GROUP_NAME_MAX,
  GROUP_ROBOTS_MAX,
  groupList,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import { MAINTENANCE_REASON_MAX, robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { deleteRobot, robotTypes, serialNumbers, updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { robotDetailsWithSettings, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { type Site, siteDetails } from "@suncrew/contract/sites/sites.ts";
import { sharesOf } from "@suncrew/domain/commands/shares.ts";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, Fragment, type ReactNode, useState } from "react";
import { callSlots } from "../../../platform/api/call-slots.ts";
import { call } from "../../../platform/api/call.ts";
import { invalidate } from "../../../platform/api/change.ts";
import { serverReason } from "../../../platform/api/errors.ts";
import { queryKeyOf, routeQuery } from "../../../platform/api/route-query.ts";
import { useGuardedClose } from "../../../platform/confirm/use-guarded-close.ts";
import { liveStore } from "../../../platform/live/live.ts";
import { DayField } from "../../../ui/day-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormButtons } from "../../../ui/form-buttons.tsx";
import { type RobotOutcome, RobotOutcomes } from "../../../ui/robot-outcomes.tsx";
import { useBusy } from "../../../ui/use-busy.ts";
import { newPress } from "../../commands/public.ts";
import { robotBodyOf, robotFormOf } from "./robot-form.ts";
import { TypeField } from "./type-field.tsx";

/** What can be done with many robots of a site at once. */
export type ManyRobotsAction = "move" | "group" | "lock" | "update" | "delete";

export interface ManyRobotsDialogProps {
  readonly action: ManyRobotsAction;
  /** As they are known now, also while the dialog is open. */
  readonly robots: readonly RobotWithSettings[];
  readonly site: Site;
  readonly onClose: () => void;
}

type Work = (robots: readonly RobotWithSettings[]) => Promise<readonly RobotOutcome[]>;

interface Part {
  readonly title: string;
  /** Of the button: with the number of robots it says what happens. */
  readonly verb: string;
  readonly done: string;
  readonly isDestructive?: boolean;
  readonly isChanged: boolean;
  /** Why it cannot be done yet; null if it can. */
  readonly blockedReason: string | null;
  readonly work: Work;
  readonly fields: ReactNode;
}

const PARTS: Record<ManyRobotsAction, (props: ManyRobotsDialogProps) => Part> = {
  move: useMove,
  group: useAddToGroup,
  lock: useLock,
  update: useUpdate,
  delete: useDelete,
};

/** Asks once for what is to be done with the chosen robots, then shows each one's result. */
export function ManyRobotsDialog(props: ManyRobotsDialogProps) {
  const { robots, site, onClose } = props;
  const part = PARTS[props.action](props);
  const [isBusy, run] = useBusy();
  const [outcomes, setOutcomes] = useState<readonly RobotOutcome[] | null>(null);
  const form = { isChanged: part.isChanged && outcomes === null, isSaving: isBusy, shownBy: ["site", "tab"] };
  const close = useGuardedClose(form, onClose);
  const work = (some: readonly RobotWithSettings[]) =>
    run(async () => {
      const found = await part.work(some);
      const bySerial = new Map(found.map((outcome) => [outcome.serial, outcome]));
      setOutcomes((now) => (now ?? found).map((outcome) => bySerial.get(outcome.serial) ?? outcome));
      await invalidate(keysOf(site.id));
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (part.blockedReason === null) void work(robots);
  };
  const retry = (serials: readonly string[]) => {
    const failed = new Set(serials);
    void work(robots.filter(({ serial_number }) => failed.has(serial_number)));
  };
  return (
    <Dialog onClose={close} title={part.title} size={520} fullScreenBelow="30em">
      {outcomes !== null ? (
        <RobotOutcomes outcomes={outcomes} done={part.done} isRetrying={isBusy} onRetry={retry} onClose={onClose} />
      ) : (
        <form noValidate onSubmit={submit}>
          <div style={{ display: "grid", gap: 12, overflowWrap: "anywhere" }}>{part.fields}</div>
          <FormButtons
            submitLabel={`${part.verb} ${robotsText(robots.length)}`}
            color={part.isDestructive === true ? "red" : undefined}
            isSaving={isBusy}
            blockedReason={part.blockedReason}
            onCancel={close}
          />
        </form>
      )}
    </Dialog>
  );
}

function useMove({ robots, site }: ManyRobotsDialogProps): Part {
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const [siteId, setSiteId] = useState<number | null>(null);
  const others = sites.filter(({ id }) => id !== site.id);
  return {
    title: "Move Robots",
    verb: "Move",
    done: "moved",
    isChanged: siteId !== null,
    blockedReason: siteId === null ? "Choose a site first." : null,
    work: (some) =>
      forEach(some, (row) =>
        siteId === null ? Promise.resolve() : saveRow(row, { ...robotFormOf(row), siteId }, [siteId]),
      ),
    fields: (
      <>
        <Text size="sm">
          {robotsText(robots.length)} of {site.name} will belong to another site, with their settings, locks and open
          alerts. Their history stays where it happened. One that is cleaning or in a group is not moved.
        </Text>
        <Select
          label="To site"
          placeholder="Choose a site"
          data-autofocus
          withAsterisk
          searchable
          limit={100}
          nothingFoundMessage="No site has this name"
          data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={siteId === null ? null : String(siteId)}
          onChange={(id) => setSiteId(id === null ? null : Number(id))}
        />
      </>
    ),
  };
}

const NEW_GROUP = "new";

function useAddToGroup({ robots, site }: ManyRobotsDialogProps): Part {
  const groups = useQuery(routeQuery(groupList, { params: { siteId: site.id } })).data ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const isNew = chosen === NEW_GROUP || groups.length === 0;
  const group = isNew ? undefined : groups.find(({ id }) => String(id) === chosen);
  const isNameMissing = isNew && name.trim() === "";
  const send = async (robotIds: number[]) => {
    if (group === undefined) {
      await call(createGroup, { body: { site_id: site.id, group_name: name.trim(), robot_ids: robotIds } });
      return;
    }
    const all = [...new Set([...group.robots.map(({ id }) => id), ...robotIds])];
    const body = { site_id: site.id, group_name: group.group_name, robot_ids: all, version: group.version };
    await call(updateGroup, { params: { groupId: group.id }, body });
  };
  return {
    title: "Add Robots to a Group",
    verb: "Add",
    done: "added",
    isChanged: chosen !== null || name !== "",
    blockedReason: isNameMissing
      ? "Name the group first."
      : !isNew && group === undefined
        ? "Choose a group first."
        : null,
    // A group is changed as a whole; a robot that is in another one is left out.
    work: async (some) => {
      const elsewhere = (row: RobotWithSettings) => {
        const groupId = (liveStore.robot(row.robot_id) ?? row).group_id;
        return groupId !== null && groupId !== group?.id;
      };
      const free = some.filter((row) => !elsewhere(row));
      const failure = free.length === 0 ? null : await reasonOf(() => send(free.map(({ robot_id }) => robot_id)));
      return some.map((row) => ({
        serial: row.serial_number,
        reason: elsewhere(row)
          ? `Robot ${row.serial_number} is in another group. Take it out of the group first.`
          : failure,
      }));
    },
    fields: (
      <>
        <Text size="sm">
          {robotsText(robots.length)} will be started, stopped and scheduled with the group. One that is in another
          group is left out.
        </Text>
        {groups.length > 0 && (
          <Select
            label="Group"
            placeholder="Choose a group"
            data-autofocus
            withAsterisk
            data={[
              ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name })),
              { value: NEW_GROUP, label: "New group" },
            ]}
            value={chosen}
            onChange={setChosen}
          />
        )}
        {isNew && (
          <TextInput
            label="Name of the new group"
            withAsterisk
            maxLength={GROUP_NAME_MAX}
            {...(groups.length === 0 && { "data-autofocus": true })}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </>
    ),
  };
}

function useLock({ robots }: ManyRobotsDialogProps): Part {
  const [reason, setReason] = useState("");
  return {
    title: "Maintenance",
    verb: "Lock",
    done: "locked",
    isChanged: reason !== "",
    blockedReason: reason.trim() === "" ? "Please enter a reason." : null,
    work: async (some) => {
      const ids = some.map(({ robot_id }) => robot_id);
      // Like a Stop it takes no slot: it is sent at once, by as few calls as possible, so that no Stop waits behind them.
      callSlots.preemptForStop({ robotIds: ids });
      const headers = newPress()();
      const reasons = new Map(ids.map((id): [number, string | null] => [id, NOT_DONE]));
      const lock = async (robotObjectIds: number[]) => {
        try {
          const body = { enabled: true, reason: reason.trim(), robotObjectIds };
          const { results } = await call(robotsMaintenance, { body }, { headers });
          for (const { robotObjectId, outcome, pending, message } of results) {
            reasons.set(robotObjectId, outcome === "SUCCESS" || pending ? null : message);
          }
        } catch (error) {
          for (const id of robotObjectIds) reasons.set(id, serverReason(error) ?? NOT_DONE);
        }
      };
      await Promise.all(sharesOf(ids, GROUP_ROBOTS_MAX).map(lock));
      return some.map(({ robot_id, serial_number: serial }) => ({ serial, reason: reasons.get(robot_id) ?? null }));
    },
    fields: (
      <>
        <Text size="sm">
          Locks {robotsText(robots.length)}: every Start is refused until the lock is released, and one that is cleaning
          is stopped. If a robot is offline, its lock is sent again until the robot confirms it. This lock does not
          replace isolating the machine.
        </Text>
        <Textarea
          label="Reason"
          placeholder="What is to be done, and by whom"
          withAsterisk
          rows={2}
          maxLength={MAINTENANCE_REASON_MAX}
          data-autofocus
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </>
    ),
  };
}

function useUpdate({ robots }: ManyRobotsDialogProps): Part {
  const types = useQuery(routeQuery(robotTypes, {})).data;
  const [change, setChange] = useState({ motorType: "", controlType: "", installationDate: "" });
  const given = Object.fromEntries(Object.entries(change).filter(([, text]) => text.trim() !== ""));
  const isChanged = Object.keys(given).length > 0;
  const set = (by: Partial<typeof change>) => setChange((now) => ({ ...now, ...by }));
  return {
    title: "Update Robots",
    verb: "Update",
    done: "updated",
    isChanged,
    blockedReason: isChanged ? null : "Nothing has been changed.",
    work: (some) => forEach(some, (row) => saveRow(row, { ...robotFormOf(row), ...given }, [])),
    fields: (
      <>
        <Text size="sm">Changes {robotsText(robots.length)}. What is left empty stays as it is for each.</Text>
        <DayField
          label="Installation date"
          data-autofocus
          day={change.installationDate}
          onChange={(installationDate) => set({ installationDate })}
        />
        <TypeField
          field="motorType"
          inUse={types?.motor_types}
          value={change.motorType}
          onChange={(motorType) => set({ motorType })}
        />
        <TypeField
          field="controlType"
          inUse={types?.control_types}
          value={change.controlType}
          onChange={(controlType) => set({ controlType })}
        />
      </>
    ),
  };
}

function useDelete({ robots, site }: ManyRobotsDialogProps): Part {
  const serials = robots.map(({ serial_number }) => serial_number);
  return {
    title: "Delete Robots",
    verb: "Delete",
    done: "deleted",
    isDestructive: true,
    isChanged: false,
    blockedReason: null,
    work: (some) => forEach(some, ({ robot_id: id }) => call(deleteRobot, { params: { id } })),
    fields: (
      <>
        <Text size="sm">
          Delete {robotsText(robots.length)} from {site.name}? This action cannot be undone. Their history stays
          readable, and their serial numbers are free again. One that is cleaning or in a group is not deleted.
        </Text>
        <Box component="p" fz={13} c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {serials.slice(0, SHOWN_SERIALS).map((serial, nth) => (
            <Fragment key={serial}>
              {nth > 0 && ", "}
              <span style={{ whiteSpace: "nowrap" }}>{serial}</span>
            </Fragment>
          ))}
          {serials.length > SHOWN_SERIALS && ` and ${serials.length - SHOWN_SERIALS} more`}
        </Box>
      </>
    ),
  };
}

const SHOWN_SERIALS = 20;
/** This many calls at the same time: the server takes them in turn. */
const CALLS_AT_ONCE = 4;
const NOT_DONE = "It was not done. Please try again.";

const robotsText = (count: number) => (count === 1 ? "1 robot" : `${count.toLocaleString("en-GB")} robots`);

function saveRow(row: RobotWithSettings, form: ReturnType<typeof robotFormOf>, otherSites: readonly number[]) {
  const body = { ...robotBodyOf(form), version: row.version };
  return call(updateRobot, { params: { id: row.robot_id }, body }).then(() => invalidate(otherSites.flatMap(keysOf)));
}

/** Does it with each robot on its own: what prevents one does not prevent the others. */
async function forEach(
  rows: readonly RobotWithSettings[],
  work: (row: RobotWithSettings) => Promise<unknown>,
): Promise<readonly RobotOutcome[]> {
  const reasons = new Map<number, string | null>();
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const one = row;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      reasons.set(one.robot_id, await reasonOf(() => work(one)));
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker));
  return rows.map(({ robot_id, serial_number: serial }) => ({ serial, reason: reasons.get(robot_id) ?? null }));
}

async function reasonOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return serverReason(error) ?? NOT_DONE;
  }
}

function keysOf(siteId: number) {
  const ofSite = [robotDetailsWithSettings, groupList, getRobotSchedule].map((route) =>
    queryKeyOf(route, { params: { siteId } }),
  );
  return [...ofSite, ...[siteDetails, serialNumbers, robotTypes].map((route) => queryKeyOf(route))];
}
