import { parseArgs } from "node:util";
import { type ChainHead, verifyAudit } from "./features/audit/public.ts";
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
    const { beginning } = verdict;
    if (beginning !== null) {
      const { number, hash, sealedAt, cutAt } = beginning;
      print(
        `The chain begins after seal ${number} of ${dayOf(sealedAt)} (${number}:${hash}); earlier rows were removed on ${dayOf(cutAt)} under KEEP_AUDIT_DAYS.`,
      );
    }
    if (verdict.wrong !== null) {
      printError(`${verdict.wrong} Before that, ${verdict.proven} rows are unchanged since they were sealed.${end}`);
      return 1;
    }
    print(
      `${verdict.proven} rows are unchanged since they were sealed, ${verdict.waiting} are waiting to be sealed.${end}\n${proofOf(head, beginning)}`,
    );
    return 0;
  } finally {
    await database.close();
    await connection.close();
  }
}

/** What the head proves. */
function proofOf(head: ChainHead | null, beginning: ChainHead | null): string {
  if (head === null) {
    return "Without --head this does not prove that no row was removed from the end together with its seal.";
  }
  if (beginning === null)
    return `Nothing up to number ${head.number} was changed or removed since that head was logged.`;
  const left = `Nothing from number ${beginning.number + 1} to ${head.number} was changed or removed since that head was logged.`;
  return head.number > beginning.number
    ? left
    : `That head was removed with the rows up to number ${beginning.number}: use a later one. Whether it was cut at the right place shows where the log has ${beginning.number}:${beginning.hash}.`;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

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
