/** Which way the devices' accounts at the broker are kept. */
export type BrokerSettings =
  | { readonly form: "embedded" | "manual" }
  /** `adminUrl` is the broker with the account that manages accounts. */
  | { readonly form: "dynamic-security"; readonly adminUrl: string }
  | { readonly form: "http"; readonly token: string; readonly kickUrl: string | null };

export interface BrokerVariables {
  readonly MQTT_URL?: string | undefined;
  readonly BROKER_ACCOUNTS?: BrokerSettings["form"] | undefined;
  readonly BROKER_ADMIN_URL?: string | undefined;
  readonly BROKER_AUTH_TOKEN?: string | undefined;
  readonly BROKER_KICK_URL?: string | undefined;
}

/** The settings of variables in which nothing is wrong. */
export function brokerSettings(set: BrokerVariables): BrokerSettings {
  const adminUrl = set.BROKER_ADMIN_URL ?? set.MQTT_URL;
  if (adminUrl === undefined) return { form: "embedded" };
  if (set.BROKER_ACCOUNTS === "dynamic-security") return { form: "dynamic-security", adminUrl };
  if (set.BROKER_ACCOUNTS === "http" && set.BROKER_AUTH_TOKEN !== undefined) {
    return { form: "http", token: set.BROKER_AUTH_TOKEN, kickUrl: set.BROKER_KICK_URL ?? null };
  }
  return { form: "manual" };
}

/** What does not fit together, one sentence each. */
export function wrongBrokerSettings(set: BrokerVariables): string[] {
  const { MQTT_URL: url, BROKER_ACCOUNTS: form = url === undefined ? "embedded" : "manual" } = set;
  const wrong: string[] = [];
  if (form === "embedded" && url !== undefined) {
    wrong.push("BROKER_ACCOUNTS is embedded, but MQTT_URL names a broker: choose dynamic-security, http or manual.");
  }
  if (form !== "embedded" && url === undefined) {
    wrong.push(`BROKER_ACCOUNTS is ${form}, but MQTT_URL names no broker: the embedded one keeps its own accounts.`);
  }
  if (form === "http" && set.BROKER_AUTH_TOKEN === undefined) {
    wrong.push("BROKER_AUTH_TOKEN is missing: with BROKER_ACCOUNTS=http the broker proves itself with it.");
  }
  const only = [
    ["BROKER_ADMIN_URL", "dynamic-security"],
    ["BROKER_AUTH_TOKEN", "http"],
    ["BROKER_KICK_URL", "http"],
  ] as const;
  for (const [name, needed] of only) {
    if (set[name] !== undefined && form !== needed) wrong.push(`${name} is for BROKER_ACCOUNTS=${needed} only.`);
  }
  return wrong;
}

/** An http address with the device's place in its path. */
export function isKickAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname } = new URL(text);
  return ["http:", "https:"].includes(protocol) && decodeURIComponent(pathname).includes("{clientid}");
}
