import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import {
  makeCertificates,
  robotAcl,
  SERVER,
  serverAcl,
  type WriteConfiguration,
  writeOwned,
} from "./mosquitto-configuration.ts";
import { debianProgram, runProgram } from "./private-part.ts";

/** The account that manages accounts. */
const ACCOUNTS = "suncrew-accounts";
const DENY_RECEIVING = 's/"publishClientReceive":[[:space:]]*true/"publishClientReceive": false/';
const CONTROL = "$CONTROL/dynamic-security/#";

/** Where Debian for this machine puts the plugin. */
function plugin(): string {
  const folders = ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf", "i386-linux-gnu"];
  const path = folders.map((name) => `/usr/lib/${name}/mosquitto_dynamic_security.so`).find((file) => existsSync(file));
  if (path === undefined) throw new Error("There is no mosquitto_dynamic_security.so: install Debian's mosquitto.");
  return path;
}

/**
 * Writes what docs/operating.md says about the dynamic-security plugin: accounts in the plugin, and what each may
 * access in one file. No device has an account yet. `adminUrl` of the result is for BROKER_ADMIN_URL.
 */
export function dynamicSecurity(onReady: (adminUrl: string) => void): WriteConfiguration {
  return async (folder, account, doors) => {
    const [password, adminPassword] = [randomBytes(18).toString("base64url"), randomBytes(18).toString("base64url")];
    const control = debianProgram("mosquitto_ctrl", "mosquitto");
    const accounts = join(folder, "dynamic-security.json");
    runProgram(account, control, ["dynsec", "init", accounts, ACCOUNTS, adminPassword]);
    // Debian's mosquitto_ctrl reports that it has set this default, but has not.
    runProgram(account, debianProgram("sed", "sed"), ["-i", DENY_RECEIVING, accounts]);
    const acl = [`user ${ACCOUNTS}`, `topic readwrite ${CONTROL}`, ...serverAcl, ...robotAcl];
    const tls = makeCertificates(folder, account);
    const file = await writeOwned(account, join(folder, "mosquitto.conf"), [
      "persistence true",
      `persistence_location ${folder}/`,
      "set_tcp_nodelay true",
      `message_size_limit ${MAX_MESSAGE_BYTES}`,
      "max_queued_messages 100000",
      "allow_anonymous false",
      `plugin ${plugin()}`,
      `plugin_opt_config_file ${accounts}`,
      `acl_file ${await writeOwned(account, join(folder, "suncrew.acl"), acl)}`,
      `listener ${doors.server} 127.0.0.1`,
      `listener ${doors.serverTls} 127.0.0.1`,
      ...tls.lines,
      `listener ${doors.robot} 127.0.0.1`,
      `listener ${doors.robotTls} 127.0.0.1`,
      ...tls.lines,
    ]);
    const administrator = ["-h", "127.0.0.1", "-p", String(doors.server), "-u", ACCOUNTS, "-P", adminPassword];
    const manage = (...words: string[]) => runProgram(account, control, [...administrator, "dynsec", ...words]);
    return {
      file,
      serverAccount: `${SERVER}:${password}`,
      authorityFile: tls.authorityFile,
      complete() {
        manage("createClient", SERVER, "-p", password);
        onReady(`mqtt://${ACCOUNTS}:${adminPassword}@127.0.0.1:${doors.server}`);
      },
    };
  };
}
