import { parseArgs } from "node:util";
import { unseenIn } from "@suncrew/contract/http/text.ts";
import { generatePassword } from "./features/auth/public.ts";
import { type Db, openDatabase } from "./platform/database/database.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import {
  createAdmin,
  endAllSessions,
  findUser,
  type NamedUser,
  openSessionsOf,
  replaceLostPassword,
} from "./process/admins.writes.ts";
import { reachDatabase } from "./process/reach-database.ts";

const help = `Super Admins and sessions, for whoever may run programs on the server; the servers may run meanwhile.

Usage: npm run admin -- COMMAND [--demo]

  create USERNAME [--name "..."] [--email ...]   make a further Super Admin
  reset-password USERNAME                        give a Super Admin a new password; ends all its sessions
  sessions [USERNAME]                            list who is signed in
  end-sessions USERNAME                          sign somebody out everywhere

  --demo   the demo's data instead of production's
  --help   this text

DATABASE_URL or DATA_DIR, and SECRET_KEY, are those of the servers. A generated password is printed once.`;

/** `npm run admin`: ends with 0 where it is done, with 1 where it cannot be, with 2 where it was not understood. */
async function main(): Promise<void> {
  const { command, username, values } = readArguments();
  if (command === undefined || values.help === true) {
    say(help);
    return;
  }
  if (!Object.hasOwn(commands, command)) wrong(`There is no command ${command}.`);
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

interface Asked {
  readonly db: Db;
  readonly username: string | undefined;
  /** Null where it is not told to this command. */
  readonly secretKey: string | null;
  readonly name: string | undefined;
  readonly email: string | undefined;
}

const commands = {
  async create({ db, username = "", name = username, email = "" }: Asked): Promise<void> {
    if (!/^\S{1,60}$/.test(username)) wrong("A username has 1 to 60 characters without spaces.");
    if (name.trim() === "" || name.length > 200) wrong("--name must have 1 to 200 characters.");
    for (const [what, text] of Object.entries({ "A username": username, "--name": name.trim() })) {
      const unseen = unseenIn(text, "one line");
      if (unseen !== null) wrong(`${what} must not have ${unseen}.`);
    }
    if (email !== "" && !/^[^\s@]{1,100}@[^\s@]{1,150}$/.test(email)) wrong("--email must be an e-mail address.");
    const password = generatePassword();
    if (!(await createAdmin(db, { username, name: name.trim(), email }, password))) {
      throw new StartError(`Somebody has the username ${username} already: choose another one.`);
    }
    say(`The Super Admin ${username} is made.`);
    tell(username, password);
  },

  async "reset-password"({ db, username, secretKey }: Asked): Promise<void> {
    const user = await userOf(db, username);
    if (user.role === "PARTNER") {
      throw new StartError(
        `${user.username} is a partner's: a Super Admin makes its new password on the Partners page.`,
      );
    }
    const password = generatePassword();
    const ended = await replaceLostPassword(db, user, password, secretKey);
    say(`${user.username} has a new password. ${endedWords(ended)}`);
    if (secretKey === null) {
      say("SECRET_KEY is not set here: what was counted as failed sign-ins of this user counts for up to 15 minutes.");
    }
    tell(user.username, password);
  },

  async sessions({ db, username }: Asked): Promise<void> {
    const user = username === undefined ? null : await userOf(db, username);
    const open = await openSessionsOf(db, user?.id ?? null);
    const whose = user === null ? "" : ` of ${user.username}`;
    say(open.length === 0 ? `There is no open session${whose}.` : `Open sessions${whose}, times in UTC:`);
    for (const { username: who, role, since, until } of open) {
      const kind = role === "PARTNER" ? "Partner" : "Super Admin";
      say(`  ${who.padEnd(24)}  ${kind.padEnd(11)}  since ${timeOf(since)}, until ${timeOf(until)}`);
    }
  },

  async "end-sessions"({ db, username }: Asked): Promise<void> {
    const user = await userOf(db, username);
    say(`${user.username}: ${endedWords(await endAllSessions(db, user))}`);
  },
};

async function userOf(db: Db, username: string | undefined): Promise<NamedUser> {
  if (username === undefined) wrong("Say whose: the username is missing.");
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
    if (rest.length > 0) wrong(`${rest.join(" ")} is too much: a name with spaces goes between quotation marks.`);
    return { command, username, values };
  } catch (error) {
    if (error instanceof StartError) throw error;
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

function wrong(sentence: string): never {
  throw new StartError(`${sentence} \`npm run admin -- --help\` tells what there is.`, 2);
}

function tell(username: string, password: string): void {
  say("The password is shown only now: hand it over, and have it changed after the first sign-in.");
  say(`  Sign in   ${username} / ${password}`);
}

function endedWords(ended: number): string {
  if (ended === 0) return "No session was open.";
  return ended === 1 ? "One session was ended." : `${ended} sessions were ended.`;
}

function timeOf(at: Date): string {
  return at.toISOString().slice(0, 16).replace("T", " ");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Undefined table and undefined column: the server has not brought the database to this version. */
const unknownToDatabase: readonly unknown[] = ["42P01", "42703"];

try {
  await main();
} catch (error) {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  const sentence = unknownToDatabase.includes(code)
    ? "The database is not of this version yet: start the server once, then try again."
    : reason;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = error instanceof StartError ? error.exitCode : 1;
}
