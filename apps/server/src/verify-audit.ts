import { parseArgs } from "node:util";
import { verifyAudit } from "./features/audit/public.ts";
import { openDatabase } from "./platform/database/database.ts";
import { StartError } from "./platform/errors.ts";
import { reachDatabase } from "./process/open-database.ts";

/**
 * `npm run audit:verify`: proves that the audit is unchanged since it was sealed. Exits with 0 if it is, with 1 if it
 * is not, and with 2 if it could not be read.
 */
const usage = "Usage: npm run audit:verify -- [--head NUMBER:HASH] [--demo]";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { head: { type: "string" }, demo: { type: "boolean", default: false }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    print(
      `${usage}\n\n  --head  a head from the server's log ("audit sealed"): proves that nothing up to it was changed or removed\n  --demo  the demo's data instead of production's`,
    );
    return 0;
  }
  const head = values.head === undefined ? null : readHeadText(values.head);
  const connection = await reachDatabase(values.demo ? "demo" : "production");
  const database = openDatabase(connection.config, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 });
  try {
    const verdict = await verifyAudit(database.db, head);
    const end = verdict.head === null ? "" : ` Head: ${verdict.head.number}:${verdict.head.hash}`;
    if (verdict.wrong !== null) {
      printError(`${verdict.wrong} Before that, ${verdict.proven} rows are unchanged since they were sealed.${end}`);
      return 1;
    }
    print(
      `${verdict.proven} rows are unchanged since they were sealed, ${verdict.waiting} are waiting to be sealed.${end}` +
        (head === null
          ? "\nWithout --head this does not prove that no row was removed from the end together with its seal."
          : `\nNothing up to number ${head.number} was changed or removed since that head was logged.`),
    );
    return 0;
  } finally {
    await database.close();
    await connection.close();
  }
}

function readHeadText(text: string): { number: number; hash: string } {
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (number === undefined || hash === undefined || Number(number) === 0) {
    throw new StartError(`--head must be NUMBER:HASH as in the log. ${usage}`, 2);
  }
  return { number: Number(number), hash };
}

try {
  process.exitCode = await main();
} catch (error) {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
