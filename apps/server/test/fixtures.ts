import { hash as hashWithCost } from "@node-rs/argon2";
import { IN_HOUSE_PARTNER_ID } from "@suncrew/domain/devices/serial-numbers.ts";
import type { FastifyInstance } from "fastify";
import type { Insertable } from "kysely";
import { createHash } from "node:crypto";
import { signToken } from "../src/features/auth/tokens.ts";
import type { Db, Executor } from "../src/platform/database/database.ts";
import type { Tables } from "../src/platform/database/tables.ts";
import { openSession } from "../src/platform/sessions.ts";
import { reserveGroup, type TestGroup } from "./group-fixtures.ts";

/** The password of every fixture user. */
export const PASSWORD = "morning sun 42";

/** Usernames: the Super Admin, the partner of `ownSite` and `secondSite`, the partner of `foreignSite`. */
export const usernames = { admin: "anita", owner: "omkar", stranger: "sadia" } as const;
export type Person = keyof typeof usernames;

/** A provisioned device that no robot has, allocated to the partner `owner`. */
export const FREE_SERIAL = "FREE-1";

export interface Fixtures {
  readonly userIds: Readonly<Record<Person, number>>;
  readonly ownerPartnerId: number;
  readonly strangerPartnerId: number;
  readonly ownSiteId: number;
  readonly secondSiteId: number;
  readonly foreignSiteId: number;
  /** Two at `ownSite`, none at `secondSite`, one at `foreignSite`. */
  readonly ownRobot: TestRobot;
  readonly ownRobot2: TestRobot;
  readonly foreignRobot: TestRobot;
  /** The groups of `ownRobot` and `foreignRobot`; created by `seedGroups`. */
  readonly ownGroup: TestGroup;
  readonly foreignGroup: TestGroup;
}

export interface TestRobot {
  readonly id: number;
  readonly serial: string;
  readonly siteId: number;
  /** The robot's secret at the broker. */
  readonly secret: string;
}

/** Words that only the partner `owner` or `stranger` may see: in the other's answers they are a leak. */
export const privateWords = {
  owner: ["Ownfield", "Owncare", "OWN-1", "OWN-2", "Osprey"],
  stranger: ["Farfield", "Farcare", "FAR-1", "Falcon"],
} as const;

/** A hash like the server's, at minimal cost: the cost of a sign-in depends on the stored hash. */
const cheapHash = () => hashWithCost(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 });

/** Two partners with a user each, three sites, three robots on their devices, and a Super Admin. */
export async function addFixtures(db: Db): Promise<Fixtures> {
  const ownerPartnerId = await addPartner(db, "Owncare Services", "Odile Osprey");
  const strangerPartnerId = await addPartner(db, "Farcare Services", "Fritz Falcon");
  const hash = await cheapHash();
  const userIds = {
    admin: await addUser(db, usernames.admin, "Anita Rao", null, hash),
    owner: await addUser(db, usernames.owner, "Omkar Jain", ownerPartnerId, hash),
    stranger: await addUser(db, usernames.stranger, "Sadia Khan", strangerPartnerId, hash),
  };
  const ownSiteId = await addSite(db, "Ownfield Park", ownerPartnerId, 27.53, 71.91);
  const secondSiteId = await addSite(db, "Ownfield Annex", ownerPartnerId, 27.6, 71.95);
  const foreignSiteId = await addSite(db, "Farfield Park", strangerPartnerId, 14.1, 77.28);
  await addDevice(db, FREE_SERIAL, ownerPartnerId);
  return {
    userIds,
    ownerPartnerId,
    strangerPartnerId,
    ownSiteId,
    secondSiteId,
    foreignSiteId,
    ownRobot: await addRobot(db, ownSiteId, "OWN-1"),
    ownRobot2: await addRobot(db, ownSiteId, "OWN-2"),
    foreignRobot: await addRobot(db, foreignSiteId, "FAR-1"),
    ownGroup: reserveGroup(1),
    foreignGroup: reserveGroup(2),
  };
}

export async function addPartner(db: Db, name: string, contactPerson: string): Promise<number> {
  const { id } = await db
    .insertInto("partners")
    .values({ name, contact_person: contactPerson, contact_info: "+91 98 0000 0000", email: "desk@partner.example" })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function addUser(
  db: Db,
  username: string,
  name: string,
  partnerId: number | null,
  hash: string,
): Promise<number> {
  const { id } = await db
    .insertInto("users")
    .values({
      username,
      name,
      email: `${username}@suncrew.example`,
      role: partnerId === null ? "SUPER_ADMIN" : "PARTNER",
      partner_id: partnerId,
      password_hash: hash,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function addSite(
  db: Db,
  name: string,
  partnerId: number | null,
  latitude = 20,
  longitude = 75,
): Promise<number> {
  const { id } = await db
    .insertInto("sites")
    .values({
      name,
      address: `${name} Road 1`,
      district: "Jodhpur",
      state: "Rajasthan",
      pin_code: "342301",
      commissioning_date: "2023-03-31",
      maintenance_partner_id: partnerId,
      latitude,
      longitude,
      timezone: "Asia/Kolkata",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** A device that may sign in to the broker, the operator's by default; returns its secret. */
export async function addDevice(db: Db, serial: string, partnerId: number = IN_HOUSE_PARTNER_ID): Promise<string> {
  const secret = `secret of ${serial}`;
  await db
    .insertInto("devices")
    .values({ serial, secret_sha256: createHash("sha256").update(secret).digest(), partner_id: partnerId })
    .execute();
  return secret;
}

/** A robot named by its serial number, on its own device; it has not reported yet, see `setState`. */
export async function addRobot(db: Db, siteId: number, serial: string): Promise<TestRobot> {
  const secret = await addDevice(db, serial);
  const { id } = await db
    .insertInto("robots")
    .values({
      site_id: siteId,
      robot_name: serial,
      serial_number: serial,
      motor_type: "BLDC",
      control_type: "PLC",
      installation_date: "2024-02-29",
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, serial, siteId, secret };
}

/** Sets the last reported state of a robot, as the bridge would. */
export async function setState(
  db: Executor,
  robotId: number,
  state: Partial<Insertable<Tables["robot_state"]>>,
): Promise<void> {
  await db.updateTable("robot_state").set(state).where("robot_id", "=", robotId).execute();
}

/** The stored activity in order, without the search hashes, which do not fit into a number. */
export function activityRows(db: Executor) {
  return db
    .selectFrom("activity")
    .select(["log_id", "created_at", "site_id", "robot_id", "command_id", "action", "action_type", "status"])
    .select(["user_id", "user_name", "site_name", "partner_name", "robot_name", "serial_number"])
    .select(["details", "params", "sample", "change_no"])
    .orderBy("log_id");
}

/** The form for adding a partner of this name. */
export function partnerForm(name: string, more: Record<string, string | null> = {}) {
  return {
    name,
    contact_person: "Ravi Shah",
    contact_info: "+91 98290 00000",
    email: "ravi@shah.example",
    address: "1 Canal Road",
    city: "Jodhpur",
    state: "Rajasthan",
    zip_code: "342001",
    ...more,
  };
}

/** A token for a new session of this person, without the cost of checking a password. */
export async function createSessionToken(http: FastifyInstance, db: Db, person: Person, now: Date): Promise<string> {
  const { id, role, email, partner_id } = await db
    .selectFrom("users")
    .select(["id", "role", "email", "partner_id"])
    .where("username", "=", usernames[person])
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  const expiresAt = new Date(now.getTime() + 43_200_000);
  const sid = await openSession(db, { userId: id, now, expiresAt });
  const exp = Math.floor(expiresAt.getTime() / 1000);
  return signToken(http, { id, role, email, partnerId: partner_id, sid, exp }, now);
}
