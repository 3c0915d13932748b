import { productVersion } from "../platform/product-version.ts";
import { isEverywhere, isLoopback, urlHost } from "../platform/network.ts";
import type { Started } from "./start.ts";

const addressOf = ({ host, port }: Started) => `http://${urlHost(host)}:${port}`;

/** What production logs at the end of a start. */
export function readyLine(started: Started): Readonly<Record<string, unknown>> {
  const { host, brokerUrl, dataDir, hasConsole, firstAdmin } = started;
  return {
    version: productVersion(),
    url: addressOf(started),
    host,
    hasConsole,
    broker: brokerUrl,
    dataDir,
    ...(firstAdmin !== null && { firstAdmin: firstAdmin.username }),
  };
}

/** What a demo prints at the end of its start. */
export function banner(started: Started): string {
  const { host, brokerUrl, dataDir, controlAddress, hasConsole, demoSignIns } = started;
  const others = isEverywhere(host) ? "  (and every other address of this machine)" : "";
  const lines = [
    "",
    "Suncrew is ready. This is a demo: sample data, simulated robots.",
    "",
    `  ${hasConsole ? "Console" : "Server "}   ${addressOf(started)}${others}`,
  ];
  demoSignIns.forEach(({ username, password, role }, index) => {
    const label = index === 0 ? "Sign in" : "";
    lines.push(
      `  ${label.padEnd(10)}${`${username} / ${password}`.padEnd(24)}${role === "PARTNER" ? "Partner" : "Super Admin"}`,
    );
  });
  if (demoSignIns.length === 0) {
    lines.push("  Sign in   with the passwords that were set since; --reset starts over");
  }
  lines.push(`  Broker    ${brokerUrl}`);
  lines.push(`  Robots    control address ${controlAddress ?? "not known yet: the simulator is slow to start"}`);
  lines.push(`  Data      ${dataDir}`, "");
  if (!isLoopback(host)) {
    lines.push("  WARNING: HOST lets other machines reach this demo, whose passwords are public.", "");
  }
  lines.push("Ctrl-C stops everything.", "");
  return lines.join("\n");
}
