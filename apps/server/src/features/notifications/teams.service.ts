import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type {
  createRota,
  createTeam,
  Rota,
  Team,
  updateRota,
  updateTeam,
} from "@suncrew/contract/notifications/notification-rules.ts";
import { onDuty, presentMembers } from "@suncrew/domain/notifications/rota.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { editConflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange, type ChangeDetails } from "../audit/public.ts";
import { refuseIfNamed } from "./contact-points.service.ts";
import {
  changeRota,
  changeTeam,
  insertRota,
  insertTeam,
  isNameTaken,
  lockRota,
  lockTeam,
  type Member,
  readMembers,
  readRotas,
  readTeams,
  remove,
  storeRotaMembers,
  storeTeamMembers,
} from "./teams.repository.ts";

interface Change {
  readonly tx: Tx;
  readonly details: ChangeDetails;
  readonly at: Date;
}

/** Teams and rotas; the permission table admits only Super Admins here. */
export class Teams {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  async teams(): Promise<Team[]> {
    return readTeams(this.#deps.db);
  }

  /** Throws 404 for a member that does not exist, and 409 for a name that is taken. */
  async createTeam(viewer: Viewer, body: BodyOf<typeof createTeam>): Promise<ResponseOf<typeof createTeam>> {
    const teamId = await this.#change(viewer, "CREATE_TEAM", "team", null, async ({ tx, details, at }) => {
      const members = await this.#checked(tx, "teams", body, null, details);
      const id = await insertTeam(tx, body.name, at);
      await storeTeamMembers(tx, id, members);
      details.entityId = id;
      return id;
    });
    return { message: `The team ${body.name} was added.`, teamId };
  }

  /** Throws the same, 404, and 409 after a concurrent edit. */
  async updateTeam(viewer: Viewer, id: number, body: BodyOf<typeof updateTeam>): Promise<{ message: string }> {
    return this.#change(viewer, "UPDATE_TEAM", "team", id, async ({ tx, details }) => {
      const team = await lockTeam(tx, id);
      if (team === null) throw notFound("Team");
      details.before = auditedTeam(team);
      const members = await this.#checked(tx, "teams", body, id, details);
      if (body.version !== undefined && body.version !== team.version) throw editConflict("team");
      await changeTeam(tx, id, body.name);
      await storeTeamMembers(tx, id, members);
      return { message: `The team ${body.name} was changed.` };
    });
  }

  /** Throws 404, and 409 while a rule tells it. */
  async deleteTeam(viewer: Viewer, id: number): Promise<{ message: string }> {
    return this.#change(viewer, "DELETE_TEAM", "team", id, async ({ tx, details, at }) => {
      const team = await lockTeam(tx, id);
      if (team === null) throw notFound("Team");
      details.before = auditedTeam(team);
      await refuseIfNamed(tx, "TEAM", id, team.name);
      await remove(tx, "teams", id, at);
      return { message: `The team ${team.name} was deleted.` };
    });
  }

  /** With who is on duty now. */
  async rotas(): Promise<Rota[]> {
    const now = this.#deps.clock.now();
    const rows = await readRotas(this.#deps.db);
    return rows.map((rota) => {
      const duty = onDuty(rota, now);
      const on_duty = duty === null ? null : { ...duty.member, until: duty.until.toISOString() };
      return { ...rota, on_duty };
    });
  }

  /** Throws 404 for a member that does not exist, and 409 for a name that is taken. */
  async createRota(viewer: Viewer, body: BodyOf<typeof createRota>): Promise<ResponseOf<typeof createRota>> {
    const rotaId = await this.#change(viewer, "CREATE_ROTA", "rota", null, async ({ tx, details, at }) => {
      const members = await this.#checked(tx, "rotas", body, null, details);
      const id = await insertRota(tx, timesOf(body), at);
      await storeRotaMembers(tx, id, members);
      details.entityId = id;
      return id;
    });
    return { message: `The rota ${body.name} was added.`, rotaId };
  }

  /** Throws the same, 404, and 409 after a concurrent edit. */
  async updateRota(viewer: Viewer, id: number, body: BodyOf<typeof updateRota>): Promise<{ message: string }> {
    return this.#change(viewer, "UPDATE_ROTA", "rota", id, async ({ tx, details }) => {
      const rota = await lockRota(tx, id);
      if (rota === null) throw notFound("Rota");
      details.before = auditedRota(rota);
      const members = await this.#checked(tx, "rotas", body, id, details);
      if (body.version !== undefined && body.version !== rota.version) throw editConflict("rota");
      await changeRota(tx, id, timesOf(body));
      await storeRotaMembers(tx, id, members);
      return { message: `The rota ${body.name} was changed.` };
    });
  }

  /** Throws 404, and 409 while a rule tells it. */
  async deleteRota(viewer: Viewer, id: number): Promise<{ message: string }> {
    return this.#change(viewer, "DELETE_ROTA", "rota", id, async ({ tx, details, at }) => {
      const rota = await lockRota(tx, id);
      if (rota === null) throw notFound("Rota");
      details.before = auditedRota(rota);
      await refuseIfNamed(tx, "ROTA", id, rota.name);
      await remove(tx, "rotas", id, at);
      return { message: `The rota ${rota.name} was deleted.` };
    });
  }

  /** The members of what is to be stored. Throws 404 for one that does not exist, and 409 for a name that is taken. */
  async #checked(
    tx: Tx,
    table: "teams" | "rotas",
    body: BodyOf<typeof createTeam> | BodyOf<typeof createRota>,
    id: number | null,
    details: ChangeDetails,
  ): Promise<Member[]> {
    const members = await readMembers(tx, body.member_ids);
    if (members === null) throw notFound("Person");
    details.after = "timezone" in body ? auditedRota({ ...body, members }) : auditedTeam({ ...body, members });
    if (await isNameTaken(tx, table, body.name, id)) {
      const message = `Another ${table === "teams" ? "team" : "rota"} has the name ${body.name}.`;
      const code = table === "teams" ? "TEAM_NAME_TAKEN" : "ROTA_NAME_TAKEN";
      throw new HttpError(409, code, message, { errors: [{ field: "name", message }] });
    }
    return members;
  }

  async #change<T>(
    actor: Viewer,
    action: string,
    entity: "team" | "rota",
    entityId: number | null,
    work: (change: Change) => Promise<T>,
  ): Promise<T> {
    const at = this.#deps.clock.now();
    return auditedChange(this.#deps.db, { actor, action, entity, entityId, at }, (tx, details) =>
      work({ tx, details, at }),
    );
  }
}

type RotaTimes = Pick<Rota, "name" | "timezone" | "starts_on" | "handover_at" | "weeks">;

function timesOf({ name, timezone, starts_on, handover_at, weeks }: RotaTimes): RotaTimes {
  return { name, timezone, starts_on, handover_at, weeks };
}

interface WithMembers {
  readonly name: string;
  readonly members: readonly (Member | null)[];
}

const namesOf = ({ members }: WithMembers) => presentMembers({ members }).map(({ name }) => name);
const auditedTeam = (team: WithMembers) => ({ name: team.name, members: namesOf(team) });
const auditedRota = (rota: RotaTimes & WithMembers) => ({ ...timesOf(rota), members: namesOf(rota) });
