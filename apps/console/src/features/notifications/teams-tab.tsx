import { Box } from "@mantine/core";
import type { Rota, Team } from "@suncrew/contract/notifications/notification-rules.ts";
import { onDuty, presentMembers } from "@suncrew/domain/notifications/rota.ts";
import { type Icon, IconCalendarRepeat, IconPencil, IconTrash, IconUsersGroup } from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ComponentType } from "react";
import type { Refusal } from "../../platform/api/change.ts";
import { type RowDialogProps, rowDialogTitle } from "../../platform/form/row-dialogs.tsx";
import { RowList } from "../../platform/form/row-list.tsx";
import { zoneText } from "../../ui/exact-time-text.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { useNow } from "../../ui/use-now.ts";
import shared from "../../ui/shared.module.css";
import { listed } from "./rule-words.ts";
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
  const { title, what, query, icon, message, Details, EditDialog, onRemove } = props;
  return (
    <section aria-label={title}>
      <RowList<Entity>
        what={what}
        query={query}
        header={
          <Box component="h2" fz={15} fw={650} lh="20px" c="var(--sc-text)">
            {title}
          </Box>
        }
        empty={{ icon, title: `No ${what}s yet.`, message }}
        rowPx={56}
        renderEdit={(dialog) => <EditDialog key={dialog.row?.id ?? "new"} {...dialog} />}
        renderDelete={({ name }) => (
          <>
            Delete the {what} <strong>{name}</strong>? Its members stay.
          </>
        )}
        onDelete={onRemove}
      >
        {(entities, onOpen) => (
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
        )}
      </RowList>
    </section>
  );
}

function TeamDetails({ entity }: { readonly entity: Team }) {
  return <p>{listed(entity.members.map(({ name }) => name))}</p>;
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
