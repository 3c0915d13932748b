import { Box, Group } from "@mantine/core";
import type { Rota, Team } from "@suncrew/contract/notifications/notification-rules.ts";
import { onDuty, presentMembers } from "@suncrew/domain/notifications/rota.ts";
import { type Icon, IconCalendarRepeat, IconPencil, IconPlus, IconTrash, IconUsersGroup } from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ComponentType } from "react";
import type { Refusal } from "../../platform/api/change.ts";
import { type RowDialogProps, RowDialogs, rowDialogTitle, useOpenRow } from "../../platform/form/row-dialogs.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { zoneText } from "../../ui/exact-time-text.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { removeRota, removeTeam, rotasQuery, teamsQuery } from "./notification-calls.ts";
import classes from "./teams-tab.module.css";

const TeamDialog = lazyDialog<RowDialogProps<Team>>(
  ({ row }) => rowDialogTitle("team", row === null),
  async () => (await import("./team-dialogs.tsx")).TeamDialog,
);
const RotaDialog = lazyDialog<RowDialogProps<Rota>>(
  ({ row }) => rowDialogTitle("rota", row === null),
  async () => (await import("./team-dialogs.tsx")).RotaDialog,
);

/** Who can be told together or by turns, for Super Admins. */
export function TeamsTab() {
  return (
    <div className={classes["columns"]}>
      <Entities
        title="Teams"
        what="team"
        query={useQuery(teamsQuery)}
        icon={IconUsersGroup}
        message="A team is told together: all of its members, and its own contact points."
        Details={TeamDetails}
        EditDialog={TeamDialog}
        onRemove={removeTeam}
      />
      <Entities
        title="Rotas"
        what="rota"
        query={useQuery(rotasQuery)}
        icon={IconCalendarRepeat}
        message="A rota tells who is on duty: one of its members after the other, each for some weeks."
        Details={RotaDetails}
        EditDialog={RotaDialog}
        onRemove={removeRota}
      />
    </div>
  );
}

interface EntitiesProps<Entity extends Team | Rota> {
  readonly title: string;
  readonly what: "team" | "rota";
  readonly query: UseQueryResult<Entity[]>;
  readonly icon: Icon;
  /** What it is for, while there is none. */
  readonly message: string;
  readonly Details: ComponentType<{ readonly entity: Entity }>;
  readonly EditDialog: ComponentType<RowDialogProps<Entity>>;
  readonly onRemove: (entity: Entity) => Promise<Refusal | null>;
}

function Entities<Entity extends Team | Rota>(props: EntitiesProps<Entity>) {
  const { title, what, query, icon: EmptyIcon, message, Details, EditDialog, onRemove } = props;
  const { open, onOpen, onClose } = useOpenRow<Entity>();
  const add = (
    <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => onOpen({ kind: "add" })}>
      Add {what}
    </ToolButton>
  );
  return (
    <section aria-label={title}>
      <Group gap={8} justify="space-between" mb={10} mih={30}>
        <Box component="h2" fz={15} fw={650} lh="20px">
          {title}
        </Box>
        {query.data !== undefined && query.data.length > 0 && add}
      </Group>
      <QueryState
        query={query}
        loading={<SkeletonLines label={`Loading ${what}s`} lines={3} lineHeightPx={56} />}
        failed={`The ${what}s could not be loaded.`}
      >
        {(entities) =>
          entities.length === 0 ? (
            <div className={shared["card"]}>
              <EmptyState
                title={`No ${what}s yet.`}
                message={message}
                icon={<EmptyIcon size={32} stroke={1.5} />}
                action={add}
              />
            </div>
          ) : (
            <ul className={`${shared["card"]} ${classes["list"]}`} aria-label={title}>
              {entities.map((entity) => (
                <li key={entity.id}>
                  <div className={classes["text"]}>
                    <h3 className={shared["name"]}>{entity.name}</h3>
                    <Details entity={entity} />
                  </div>
                  <span className={classes["actions"]}>
                    <RowAction
                      label="Edit"
                      name={`Edit ${entity.name}`}
                      icon={IconPencil}
                      onPress={() => onOpen({ kind: "edit", row: entity })}
                    />
                    <RowAction
                      label="Delete"
                      name={`Delete ${entity.name}`}
                      icon={IconTrash}
                      isDestructive
                      onPress={() => onOpen({ kind: "delete", row: entity })}
                    />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
      <RowDialogs
        what={what}
        open={open}
        onClose={onClose}
        rows={query.data}
        renderEdit={(dialog) => <EditDialog key={dialog.row?.id ?? "new"} {...dialog} />}
        renderDelete={({ name }) => (
          <>
            Delete the {what} <strong>{name}</strong>? Its members stay.
          </>
        )}
        onDelete={onRemove}
      />
    </section>
  );
}

function TeamDetails({ entity }: { readonly entity: Team }) {
  return <p>{entity.members.map(({ name }) => name).join(", ")}</p>;
}

/** How many of the next turns are named. */
const NEXT = 2;

/** Who is on duty until when, and who comes next. */
function RotaDetails({ entity: rota }: { readonly entity: Rota }) {
  const now = useNow();
  const { timezone, handover_at: at, weeks } = rota;
  const members = presentMembers(rota);
  const turns = turnsOf(rota, now);
  const [duty, ...next] = turns;
  return (
    <>
      {duty !== undefined && (
        <p>
          <strong>{duty.name}</strong> is on duty
          {members.length > 1 && ` until ${handoverText(duty.until, timezone)}`}
        </p>
      )}
      {next.length > 0 && (
        <p>Then {next.map(({ name, until }) => `${name} until ${dayText(until, timezone)}`).join(", ")}</p>
      )}
      <p className={shared["muted"]}>
        {weeks === 1 ? `Every ${weekday(rota)}` : `Every ${weeks} weeks on ${weekday(rota)}`} at {at},{" "}
        {zoneText(timezone)} · {members.length} {members.length === 1 ? "person" : "people"}
      </p>
    </>
  );
}

/** The present turn and the next ones, of different people. */
function turnsOf(rota: Rota, now: Date) {
  const turns: { readonly name: string; readonly until: Date }[] = [];
  let at = now;
  while (turns.length < Math.min(presentMembers(rota).length, NEXT + 1)) {
    const duty = onDuty(rota, at);
    if (duty === null) break;
    turns.push({ name: duty.member.name, until: duty.until });
    at = duty.until;
  }
  return turns;
}

const handoverText = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(at);

const weekday = ({ starts_on }: Rota) =>
  new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(new Date(`${starts_on}T00:00:00Z`));

const dayText = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone }).format(at);
