import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { ContactOwnerKind, ContactPoint, SiteRole } from "@suncrew/contract/notifications/contact-points.ts";
import type { RuleTarget } from "@suncrew/contract/notifications/notification-rules.ts";
import type { QuietHours } from "@suncrew/domain/notifications/quiet-hours.ts";
import { onDuty, type RotaTimes } from "@suncrew/domain/notifications/rota.ts";
import { isKnownZone } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** A contact point that can be told something. */
export interface Contact extends QuietHours, Pick<ContactPoint, "id" | "name" | "channel" | "address"> {
  readonly criticalPierces: boolean;
  /** The last try to send it something failed. */
  readonly isFailing: boolean;
  readonly ownerKind: ContactOwnerKind;
  readonly userId: number | null;
  readonly partnerId: number | null;
  readonly siteId: number | null;
  readonly siteRole: SiteRole | null;
  readonly teamId: number | null;
  /** Whose it is. */
  readonly told: string;
}

/** Where an alert is; all null for one about Suncrew's own servers. */
export interface Place {
  readonly siteId: number | null;
  /** The partner that maintains the site. */
  readonly partnerId: number | null;
}

interface Person {
  readonly id: number;
  readonly role: Role;
  readonly partnerId: number | null;
}

interface Rota extends RotaTimes {
  readonly id: number;
  /** Ids of users, in the order of their turns; null for one who was deleted. */
  readonly members: readonly (number | null)[];
}

interface Team {
  readonly id: number;
  readonly members: readonly number[];
  readonly seesAll: boolean;
  readonly partnerId: number | null;
}

/**
 * What a team's own contact points may be told of: only what every member may see, for nobody knows who reads them. All
 * if each is a Super Admin, a partner's sites if the others are of that partner; without a row or a partner nothing.
 */
export const teamSights = sql`(
  select m.team_id, bool_and(u.role = 'SUPER_ADMIN') as sees_all,
    case when count(distinct u.partner_id) filter (where u.role <> 'SUPER_ADMIN') = 1
        and bool_and(u.role = 'SUPER_ADMIN' or u.partner_id is not null)
      then min(u.partner_id) filter (where u.role <> 'SUPER_ADMIN') end as partner_id
  from team_members m join users u on u.id = m.user_id left join partners p on p.id = u.partner_id
  where u.deleted_at is null and p.deleted_at is null group by m.team_id)`;

/** By the clocks of a zone that this computer does not know nobody would be told, nor would anybody else in the same round. */
export function inKnownZone<Row extends { readonly timezone: string }>(row: Row): Row {
  return isKnownZone(row.timezone) ? row : { ...row, timezone: "UTC" };
}

interface DirectoryRows {
  readonly contacts: readonly Contact[];
  readonly people: readonly Person[];
  readonly teams: readonly Team[];
  readonly rotas: readonly Rota[];
}

/** Everybody who can be told: contact points that are switched on, of owners that still exist. */
export async function readDirectory(db: Executor): Promise<Directory> {
  const { rows: contacts } = await sql<Contact>`
    select c.id, c.name, c.channel, c.address, c.timezone, c.quiet_from, c.quiet_to, c.days_off,
      c.critical_pierces as "criticalPierces", c.failures > 0 as "isFailing", c.owner_kind as "ownerKind", c.user_id as "userId",
      c.partner_id as "partnerId", c.site_id as "siteId", c.site_role as "siteRole", c.team_id as "teamId",
      coalesce(u.name, p.name, s.name, t.name) as told
    from contact_points c
      left join users u on u.id = c.user_id and u.deleted_at is null
      left join partners p on p.id = c.partner_id and p.deleted_at is null
      left join sites s on s.id = c.site_id and s.deleted_at is null
      left join teams t on t.id = c.team_id and t.deleted_at is null
    where c.deleted_at is null and c.enabled and c.unsubscribed_at is null
      and coalesce(u.id, p.id, s.id, t.id) is not null
    order by c.id`.execute(db);
  const people = await db
    .selectFrom("users")
    .select(["id", "role", "partner_id as partnerId"])
    .where("deleted_at", "is", null)
    .execute();
  const { rows: teams } = await sql<Team>`
    select t.id, array_agg(m.user_id order by m.user_id) as members, coalesce(v.sees_all, false) as "seesAll",
      v.partner_id as "partnerId"
    from teams t join team_members m on m.team_id = t.id left join ${teamSights} v on v.team_id = t.id
    where t.deleted_at is null group by t.id, v.sees_all, v.partner_id`.execute(db);
  const { rows: rotas } = await sql<Rota>`
    select r.id, r.timezone, r.starts_on, r.handover_at, r.weeks, array_agg(u.id order by m.position) as members
    from rotas r join rota_members m on m.rota_id = r.id
      left join users u on u.id = m.user_id and u.deleted_at is null
    where r.deleted_at is null group by r.id`.execute(db);
  return new Directory({ contacts: contacts.map(inKnownZone), people, teams, rotas: rotas.map(inKnownZone) });
}

/** Who is meant by the targets of rules, and may know of what happens at a place. */
export class Directory {
  readonly #byId: ReadonlyMap<number, Contact>;
  readonly #people: ReadonlyMap<number, Person>;
  readonly #ofPerson: ReadonlyMap<number | null, readonly Contact[]>;
  readonly #ofPartner: ReadonlyMap<number | null, readonly Contact[]>;
  readonly #ofSite: ReadonlyMap<number | null, readonly Contact[]>;
  readonly #ofTeam: ReadonlyMap<number | null, readonly Contact[]>;
  readonly #teams: ReadonlyMap<number, Team>;
  readonly #rotas: ReadonlyMap<number, Rota>;

  constructor({ contacts, people, teams, rotas }: DirectoryRows) {
    this.#byId = new Map(contacts.map((contact) => [contact.id, contact]));
    this.#people = new Map(people.map((person) => [person.id, person]));
    const of = (kind: ContactOwnerKind) => contacts.filter(({ ownerKind }) => ownerKind === kind);
    this.#ofPerson = Map.groupBy(of("PERSON"), ({ userId }) => userId);
    this.#ofPartner = Map.groupBy(of("PARTNER"), ({ partnerId }) => partnerId);
    this.#ofSite = Map.groupBy(of("SITE"), ({ siteId }) => siteId);
    this.#ofTeam = Map.groupBy(of("TEAM"), ({ teamId }) => teamId);
    this.#teams = new Map(teams.map((team) => [team.id, team]));
    this.#rotas = new Map(rotas.map((rota) => [rota.id, rota]));
  }

  get(contactPointId: number): Contact | undefined {
    return this.#byId.get(contactPointId);
  }

  /**
   * The contact points that these targets mean now, of those that may know of this place; of a subscription only the
   * subscriber's own.
   */
  recipients(targets: readonly RuleTarget[], subscriberId: number | null, place: Place, now: Date): readonly Contact[] {
    const meant = new Set(targets.flatMap((target) => this.#meant(target, place, now)));
    return [...meant].filter(
      (contact) => this.maySee(contact, place) && (subscriberId === null || contact.userId === subscriberId),
    );
  }

  /** The wall between tenants for those who are told: what is about Suncrew's own servers has no site. */
  maySee(contact: Contact, place: Place): boolean {
    switch (contact.ownerKind) {
      case "PERSON":
        return contact.userId !== null && this.personMaySee(contact.userId, place);
      case "PARTNER":
        return place.siteId !== null && contact.partnerId === place.partnerId;
      case "SITE":
        return place.siteId !== null && contact.siteId === place.siteId;
      case "TEAM": {
        const team = this.#teams.get(contact.teamId ?? 0);
        if (team === undefined) return false;
        return team.seesAll || (place.siteId !== null && team.partnerId !== null && team.partnerId === place.partnerId);
      }
    }
  }

  personMaySee(userId: number, { siteId, partnerId }: Place): boolean {
    const person = this.#people.get(userId);
    if (person === undefined) return false;
    if (person.role === "SUPER_ADMIN") return true;
    return siteId !== null && person.partnerId !== null && person.partnerId === partnerId;
  }

  #meant({ kind, id = 0, role }: RuleTarget, place: Place, now: Date): readonly Contact[] {
    const { siteId, partnerId } = place;
    switch (kind) {
      case "CONTACT_POINT":
        return [this.#byId.get(id)].filter((contact) => contact !== undefined);
      case "PERSON":
        return this.#ofPerson.get(id) ?? [];
      case "TEAM":
        return this.#ofTeamAt(id, place);
      case "ROTA": {
        const rota = this.#rotas.get(id);
        const duty = rota && onDuty(rota, now);
        return duty ? this.#ofPeople([duty.member]) : [];
      }
      case "PARTNER":
        return partnerId === null ? [] : (this.#ofPartner.get(partnerId) ?? this.#ofPeople(this.#usersOf(partnerId)));
      case "SITE":
        return (this.#ofSite.get(siteId ?? 0) ?? []).filter(({ siteRole }) => role === undefined || siteRole === role);
    }
  }

  /** A team's own contact points; its members where none of these may know of the place, as theirs may. */
  #ofTeamAt(teamId: number, place: Place): readonly Contact[] {
    const own = (this.#ofTeam.get(teamId) ?? []).filter((contact) => this.maySee(contact, place));
    return own.length > 0 ? own : this.#ofPeople(this.#teams.get(teamId)?.members ?? []);
  }

  #ofPeople(userIds: readonly number[]): readonly Contact[] {
    return userIds.flatMap((userId) => this.#ofPerson.get(userId) ?? []);
  }

  #usersOf(partnerId: number): number[] {
    return [...this.#people.values()].filter((person) => person.partnerId === partnerId).map(({ id }) => id);
  }
}
