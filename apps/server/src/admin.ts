import { parseArgs } from "node:util";
import { newAdminSchema } from "@suncrew/contract/admins/admins.ts";
import { auditedChange } from "./features/audit/public.ts";
import {
  type AdminChange,
  endAllSessions,
  findUser,
  generatePassword,
  hashPassword,
  insertAdmin,
  type NamedUser,
  openSessionsOf,
  setAdminPassword,
} from "./features/auth/public.ts";
import { databaseNow, type Db, openDatabase } from "./platform/database/database.ts";
import { StartError } from "./platform/errors.ts";
import { reachDatabase } from "./process/open-database.ts";

const help = `Manages Super Admins and sessions from the server's command line; Suncrew may be running.

Usage: npm run admin -- COMMAND [--demo]

  create USERNAME [--name "..."] [--email ...]   add a Super Admin
  reset-password USERNAME                        give a Super Admin a new password; ends all its sessions
  sessions [USERNAME]                            list who is signed in
  end-sessions USERNAME                          sign a user out everywhere

  --demo   the demo's data instead of production's
  --help   this text

DATABASE_URL or DATA_DIR, and SECRET_KEY, are those of the servers. A generated password is printed once.`;

/** `npm run admin`: exits with 0 on success, with 1 on failure, and with 2 for wrong usage. */
async function main(): Promise<void> {
  const { command, username, values } = readArguments();
  if (command === undefined || values.help === true) {
    print(help);
    return;
  }
  if (!Object.hasOwn(commands, command)) refuse(`There is no command ${command}.`);
  const run = commands[command as keyof typeof commands];
  const reached = await reachDatabase(values.demo ? "demo" : "production");
  const database = openDatabase(reached.config, { poolSize: 1 });
  try {
    await run({ db: database.db, username, secretKey: reached.secretKey, name: values.name, email: values.email });
  } finally {
    await database.close();
    await reached.close();
  }
}

interface Input {
  readonly db: Db;
  readonly username: string | undefined;
  /** Null if it is not set for this command. */
  readonly secretKey: string | null;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

const commands = {
  async create({ db, username = "", name = username, email = "" }: Input): Promise<void> {
    const input = newAdminSchema.safeParse({ username, name, email });
    if (!input.success) {
      const [issue] = input.error.issues;
      refuse(`The ${issue?.path.join(".")} is not possible: ${issue?.message}.`);
    }
    const admin = { ...input.data, email: input.data.email ?? "" };
    const password = generatePassword();
    const hash = await hashPassword(password);
    await asServerConsole(db, "CREATE_ADMIN", async (change) => {
      if ((await insertAdmin(change, admin, hash)) !== null) return;
      throw new StartError(`Somebody already has the username ${admin.username}: choose another one.`);
    });
    print(`The Super Admin ${admin.username} was added.`);
    printPassword(admin.username, password);
  },

  async "reset-password"({ db, username, secretKey }: Input): Promise<void> {
    const user = await userOf(db, username);
    if (user.role === "PARTNER") {
      throw new StartError(
        `${user.username} belongs to a partner: a Super Admin resets its password on the Partners page.`,
      );
    }
    const password = generatePassword();
    const hash = await hashPassword(password);
    const ended = await asServerConsole(db, "RESET_PASSWORD", (change) =>
      setAdminPassword(change, user, hash, secretKey),
    );
    print(`${user.username} has a new password. ${endedText(ended)}`);
    if (secretKey === null) {
      print("SECRET_KEY is not set here, so this user's failed sign-ins still count for up to 15 minutes.");
    }
    printPassword(user.username, password);
  },

  async sessions({ db, username }: Input): Promise<void> {
    const user = username === undefined ? null : await userOf(db, username);
    const open = await openSessionsOf(db, user?.id ?? null);
    const whose = user === null ? "" : ` of ${user.username}`;
    print(open.length === 0 ? `There is no open session${whose}.` : `Open sessions${whose}, times in UTC:`);
    for (const { username: who, role, since, until } of open) {
      const kind = role === "PARTNER" ? "Partner" : "Super Admin";
      print(`  ${who.padEnd(24)}  ${kind.padEnd(11)}  since ${timeOf(since)}, until ${timeOf(until)}`);
    }
  },

  async "end-sessions"({ db, username }: Input): Promise<void> {
    const user = await userOf(db, username);
    const ended = await asServerConsole(db, "END_SESSIONS", (change) => endAllSessions(change, user));
    print(`${user.username}: ${endedText(ended)}`);
  },
};

/** Recorded as done by the server console: whoever runs programs there is not a user of Suncrew. */
async function asServerConsole<T>(db: Db, action: string, work: (change: AdminChange) => Promise<T>): Promise<T> {
  const at = await databaseNow(db);
  const change = { actor: { userId: null, name: "Server console" }, action, entity: "user", at };
  return auditedChange(db, change, (tx, details) => work({ tx, details, at }));
}

async function userOf(db: Db, username: string | undefined): Promise<NamedUser> {
  if (username === undefined) refuse("The username is missing.");
  const user = await findUser(db, username);
  if (user === null) throw new StartError(`Nobody has the username ${username}.`);
  return user;
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        name: { type: "string" },
        email: { type: "string" },
        demo: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
      },
    });
    const [command, username, ...rest] = positionals;
    if (rest.length > 0) refuse(`${rest.join(" ")} is not expected: put quotation marks around a name with spaces.`);
    return { command, username, values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(message: string): never {
  throw new StartError(`${message} \`npm run admin -- --help\` lists the commands.`, 2);
}

function printPassword(username: string, password: string): void {
  print("The password is shown only once: pass it on, and have it changed after the first sign-in.");
  print(`  Sign in   ${username} / ${password}`);
}

function endedText(ended: number): string {
  if (ended === 0) return "No session was open.";
  return ended === 1 ? "One session was ended." : `${ended} sessions were ended.`;
}

function timeOf(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Undefined table and undefined column: the database has not been migrated to this version. */
const notMigrated: readonly unknown[] = ["42P01", "42703"];

try {
  await main();
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  const message = notMigrated.includes(code)
    ? "The database is not of this version yet: start the server once, then try again."
    : reason;
  process.stderr.write(`${message}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
