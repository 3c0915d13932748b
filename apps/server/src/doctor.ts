import { parseArgs } from "node:util";
import { StartError } from "./platform/errors.ts";
import { productVersion } from "./platform/product-version.ts";
import { examine } from "./process/doctor-checks.ts";
import type { Finding } from "./process/doctor-findings.ts";

/** `npm run doctor`: exits with 0 if everything is right, with 1 for warnings, and with 2 for problems or wrong usage. */
const help = `Looks at everything that production needs, with the variables of the servers, and says what to do. It changes nothing,
prints no secret, and may run beside servers.

Usage: npm run doctor [-- options]

Options:
  --send-mail ADDRESS  also sends a mail there
  --no-console         servers are started with --no-console
  --json               prints one JSON object
  --help               this text

It exits with 0 if everything is right, with 1 if there are warnings, and with 2 if servers would not start, or not be safe.`;

const exitCodes = { ok: 0, warning: 1, problem: 2 } as const;

async function main(): Promise<number> {
  const { values } = readArguments();
  if (values.help) {
    print(help);
    return 0;
  }
  const findings = await examine({
    environment: process.env,
    sendMailTo: values["send-mail"] ?? null,
    noConsole: values["no-console"],
  });
  const code = Math.max(0, ...findings.map(({ level }) => exitCodes[level]));
  if (values.json) print(JSON.stringify({ version: productVersion(), exitCode: code, findings }, null, 2));
  else report(findings);
  return code;
}

function report(findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ part }) => part.length));
  for (const { part, level, says, todo } of findings) {
    print(`${level.padEnd(8)} ${part.padEnd(width)}  ${says.replace(/\.$/, "")}.`);
    if (todo !== null) print(`${" ".repeat(9 + width + 2)}-> ${todo}`);
  }
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const many = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  print("");
  print(
    problems + warnings === 0 ? "Everything is right." : `${many(problems, "problem")}, ${many(warnings, "warning")}.`,
  );
}

function readArguments() {
  try {
    const flag = { type: "boolean", default: false } as const;
    return parseArgs({
      options: { "send-mail": { type: "string" }, "no-console": flag, json: flag, help: { ...flag, short: "h" } },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`${reason}. \`npm run doctor -- --help\` lists the options.`, 2);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
