import { parseArgs } from "node:util";
import { verifyAudit } from "./features/audit/public.ts";
import { openDatabase } from "./platform/database/database.ts";
import { StartError } from "./platform/embedded/start-error.ts";
import { reachDatabase } from "./process/open-database.ts";

/**
 * `npm run audit:verify -- [--head NUMBER:HASH] [--demo]`: proves that the audit is as it was sealed. Ends with 0 where
 * it is, with 1 where it is not, with 2 where it could not be looked at.
 */
const usage = "Usage: npm run audit:verify -- [--head NUMBER:HASH] [--demo]";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { head: { type: "string" }, demo: { type: "boolean", default: false }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    print(
      `${usage}\n\n  --head  a head that the server's log told ("audit sealed"): proves that nothing up to it was changed or removed\n  --demo  the demo's data instead of production's`,
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
      complain(`${verdict.wrong} Before that ${verdict.proven} rows are as they were sealed.${end}`);
      return 1;
    }
    print(
      `${verdict.proven} rows are as they were sealed, ${verdict.waiting} wait for their seal.${end}` +
        (head === null
          ? "\nWithout --head it is not proven that no row was removed from the end together with its seal."
          : `\nNothing up to number ${head.number} was altered or removed since that head was told.`),
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
    throw new StartError(`--head must be NUMBER:HASH as the log tells it. ${usage}`, 2);
  }
  return { number: Number(number), hash };
}

try {
  process.exitCode = await main();
} catch (error) {
  complain(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
