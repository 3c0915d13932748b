import { ActionIcon, Box, NativeSelect, Select, Stack } from "@mantine/core";
import {
  type Rota,
  type Team,
  TEAM_MEMBERS_MAX,
  TEAM_NAME_MAX,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { onDuty, presentMembers } from "@suncrew/domain/notifications/rota.ts";
import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EntityRules, FieldProblems } from "../../platform/form/entity-form.ts";
import type { RowDialogProps } from "../../platform/form/row-dialogs.tsx";
import { NameField, RowFormDialog, useRowForm } from "../../platform/form/row-form.tsx";
import { ClockField } from "../../ui/clock-field.tsx";
import { DayField } from "../../ui/day-field.tsx";
import { shortDayText, todayIn } from "../../ui/days.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { browserZone } from "../../ui/exact-time-text.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";
import { MultiChoice } from "../../ui/multi-choice.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { ZoneField } from "./contact-point-dialog.tsx";
import { optionsQuery, saveRota, saveTeam } from "./notification-calls.ts";
import classes from "./team-dialogs.module.css";

interface TeamDraft {
  readonly name: string;
  readonly memberIds: readonly number[];
}

type TeamField = keyof TeamDraft;

const nameProblem = (name: string) =>
  name.trim() === ""
    ? { name: "Name is required" }
    : name.trim().length > TEAM_NAME_MAX
      ? { name: `Name must have at most ${TEAM_NAME_MAX} characters` }
      : {};

const teamProblems = ({ name, memberIds }: TeamDraft): FieldProblems<TeamField> => ({
  ...nameProblem(name),
  ...(memberIds.length === 0 && { memberIds: "Choose at least one member" }),
});

const teamWire = (wire: string) => (wire === "name" ? "name" : wire.startsWith("member_ids") ? "memberIds" : null);

const teamRules: EntityRules<TeamDraft, TeamField> = {
  units: [["name"], ["memberIds"]],
  isSame: (one, other, field) => String(one[field]) === String(other[field]),
  labelOf: (field) => (field === "name" ? "Name" : "Members"),
  fieldOf: teamWire,
  textOf: (draft, field) => (field === "name" ? draft.name : `${draft.memberIds.length} members`),
};

function storedTeam(team: Team | null): StoredForm<TeamDraft> {
  if (team === null) return { form: { name: "", memberIds: [] }, version: 0 };
  return { form: { name: team.name, memberIds: team.members.map(({ user_id }) => user_id) }, version: team.version };
}

interface Member {
  readonly id: number;
  readonly name: string;
}

/** Everybody, and members who were removed since: with what they lack. */
function usePeople(members: readonly { readonly user_id: number; readonly name: string }[]): readonly Member[] {
  const people = useQuery(optionsQuery).data?.people ?? [];
  const others = members.filter(({ user_id }) => !people.some(({ id }) => id === user_id));
  return [
    ...people.map(({ id, name, partner_name: partner, contact_points: points }) => ({
      id,
      name: `${partner === null ? name : `${name} (${partner})`}${points === 0 ? " – no contact point yet" : ""}`,
    })),
    ...others.map(({ user_id: id, name }) => ({ id, name })),
  ];
}

/** People who are told together. */
export function TeamDialog({ row: team, isDeleted, onClose }: RowDialogProps<Team>) {
  const people = usePeople(team?.members ?? []);
  const state = useRowForm<TeamDraft, TeamField, unknown>({
    what: "team",
    stored: storedTeam(team),
    isNew: team === null,
    isDeleted,
    rules: teamRules,
    problemsOf: teamProblems,
    save: ({ name, memberIds }, version) =>
      saveTeam(team && { id: team.id, version }, { name: name.trim(), member_ids: [...memberIds] }),
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;
  return (
    <RowFormDialog state={state} shownBy={["tab"]} onClose={onClose}>
      <Stack gap={12}>
        <NameField state={state} maxLength={TEAM_NAME_MAX} />
        <MultiChoice
          label="Members"
          description="Each is told by all of their own contact points. A team may have contact points of its own, too."
          name="memberIds"
          withAsterisk
          maxValues={TEAM_MEMBERS_MAX}
          placeholder="Choose people"
          nothingFoundMessage="Nobody has this name"
          data={people.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={form.memberIds.map(String)}
          error={problemAt("memberIds")}
          onChange={(ids) => change({ memberIds: ids.map(Number) })}
        />
      </Stack>
    </RowFormDialog>
  );
}

interface RotaDraft extends TeamDraft {
  readonly timezone: string;
  /** `YYYY-MM-DD`; empty while it is typed. */
  readonly startsOn: string;
  readonly handoverAt: string;
  readonly weeks: number;
}

type RotaField = keyof RotaDraft;

const ROTA_LABELS: Record<RotaField, string> = {
  name: "Name",
  memberIds: "Turns",
  timezone: "Time zone",
  startsOn: "First handover",
  handoverAt: "Handover at",
  weeks: "Length of a turn",
};

const ROTA_WIRE: Readonly<Record<string, RotaField>> = {
  timezone: "timezone",
  starts_on: "startsOn",
  handover_at: "handoverAt",
  weeks: "weeks",
};

const rotaRules: EntityRules<RotaDraft, RotaField> = {
  units: [["name"], ["memberIds"], ["startsOn"], ["handoverAt"], ["weeks"], ["timezone"]],
  isSame: (one, other, field) => String(one[field]) === String(other[field]),
  labelOf: (field) => ROTA_LABELS[field],
  fieldOf: (wire) => teamWire(wire) ?? ROTA_WIRE[wire] ?? null,
  textOf: (draft, field) => {
    if (field === "memberIds") return `${draft.memberIds.length} people`;
    return field === "startsOn" && draft.startsOn !== "" ? shortDayText(draft.startsOn) : String(draft[field]);
  },
};

const rotaProblems = (draft: RotaDraft): FieldProblems<RotaField> => ({
  ...nameProblem(draft.name),
  ...(draft.memberIds.length === 0 && { memberIds: "Choose who takes turns" }),
  ...(draft.startsOn === "" && { startsOn: "Choose a day" }),
  ...(draft.handoverAt === "" && { handoverAt: "Type a time" }),
});

function storedRota(rota: Rota | null, today: string): StoredForm<RotaDraft> {
  if (rota === null) {
    const form = { timezone: browserZone(), startsOn: today, handoverAt: "09:00", weeks: 1, name: "", memberIds: [] };
    return { form, version: 0 };
  }
  const { name, members, timezone, starts_on, handover_at, weeks, version } = rota;
  const memberIds = presentMembers({ members }).map(({ user_id }) => user_id);
  return { form: { name, memberIds, timezone, startsOn: starts_on, handoverAt: handover_at, weeks }, version };
}

/** People who are told by turns of weeks. */
export function RotaDialog({ row: rota, isDeleted, onClose }: RowDialogProps<Rota>) {
  const [today] = useState(() => todayIn(undefined, new Date()));
  const people = usePeople(rota === null ? [] : presentMembers(rota));
  const state = useRowForm<RotaDraft, RotaField, unknown>({
    what: "rota",
    stored: storedRota(rota, today),
    isNew: rota === null,
    isDeleted,
    rules: rotaRules,
    problemsOf: rotaProblems,
    save: ({ name, memberIds, timezone, startsOn, handoverAt, weeks }, version) =>
      saveRota(rota && { id: rota.id, version }, {
        name: name.trim(),
        member_ids: [...memberIds],
        timezone,
        starts_on: startsOn,
        handover_at: handoverAt,
        weeks,
      }),
    onSaved: onClose,
  });
  const { form, change, problemAt } = state;
  return (
    <RowFormDialog state={state} size={560} shownBy={["tab"]} onClose={onClose}>
      <Stack gap={12}>
        <NameField state={state} maxLength={TEAM_NAME_MAX} />
        <div className={classes["fields"]}>
          <DayField
            label="First handover"
            name="startsOn"
            withAsterisk
            day={form.startsOn}
            error={problemAt("startsOn")}
            onChange={(startsOn) => change({ startsOn })}
          />
          <ClockField
            label="Handover at"
            name="handoverAt"
            withAsterisk
            time={form.handoverAt}
            error={problemAt("handoverAt")}
            onChange={(handoverAt) => change({ handoverAt })}
          />
          <NativeSelect
            label="Length of a turn"
            name="weeks"
            data={Array.from({ length: 8 }, (_, index) => ({
              value: String(index + 1),
              label: index === 0 ? "1 week" : `${index + 1} weeks`,
            }))}
            value={String(form.weeks)}
            error={problemAt("weeks")}
            onChange={(event) => change({ weeks: Number(event.currentTarget.value) })}
          />
          <ZoneField zone={form.timezone} error={problemAt("timezone")} onChange={(timezone) => change({ timezone })} />
        </div>
        <Turns draft={form} people={people} onChange={(memberIds) => change({ memberIds })} />
        <Select
          label="Add somebody"
          name="memberIds"
          searchable
          limit={100}
          placeholder="Choose"
          nothingFoundMessage="Nobody else has this name"
          data={people
            .filter(({ id }) => !form.memberIds.includes(id))
            .map(({ id, name }) => ({ value: String(id), label: name }))}
          value={null}
          error={problemAt("memberIds")}
          onChange={(id) => id !== null && change({ memberIds: [...form.memberIds, Number(id)] })}
        />
      </Stack>
    </RowFormDialog>
  );
}

interface TurnsProps {
  readonly draft: RotaDraft;
  readonly people: readonly Member[];
  readonly onChange: (memberIds: readonly number[]) => void;
}

/** In their order, and whose turn it would be now. */
function Turns({ draft, people, onChange }: TurnsProps) {
  const { memberIds, startsOn, handoverAt, weeks, timezone } = draft;
  const now = useNow();
  const isComplete = startsOn !== "" && handoverAt !== "";
  const duty = isComplete
    ? onDuty({ timezone, starts_on: startsOn, handover_at: handoverAt, weeks, members: memberIds }, now)
    : null;
  const move = (from: number, by: -1 | 1) => {
    const next = memberIds.filter((_, index) => index !== from);
    next.splice(from + by, 0, ...memberIds.slice(from, from + 1));
    onChange(next);
  };
  const nameOf = (id: number) => people.find((one) => one.id === id)?.name ?? "Somebody who was removed";
  return (
    <div>
      <Box fz={13} fw={600} mb={4} id="turns">
        Turns, in this order
      </Box>
      {memberIds.length === 0 ? (
        <Box component="p" fz={13} c="dimmed">
          Nobody yet.
        </Box>
      ) : (
        <ol className={`${shared["box"]} ${classes["turns"]}`} aria-labelledby="turns">
          {memberIds.map((id, index) => (
            <li key={id}>
              <span className={classes["member"]}>
                {nameOf(id)}
                {duty?.member === id && <span className={shared["tag"]}>On duty now</span>}
              </span>
              <DisabledReason reason={index === 0 ? "It is the first turn." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${nameOf(id)} up`}
                  onClick={() => move(index, -1)}
                >
                  <IconChevronUp size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
              <DisabledReason reason={index === memberIds.length - 1 ? "It is the last turn." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${nameOf(id)} down`}
                  onClick={() => move(index, 1)}
                >
                  <IconChevronDown size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
              <ActionIcon
                variant="subtle"
                color="red"
                size={30}
                aria-label={`Remove ${nameOf(id)}`}
                onClick={() => onChange(memberIds.filter((other) => other !== id))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
