import { randomUUID } from "node:crypto";
import type { RunningServer } from "./server-process.ts";

/**
 * What the server does or ends after a time waits while a test looks, which on a busy machine takes longer than that
 * time. Triggers of the database hold it.
 */
export class HeldServer {
  readonly #sql: RunningServer["sql"];
  readonly #names: string[] = [];

  constructor(sql: RunningServer["sql"]) {
    this.#sql = sql;
  }

  /** No site's soiling is computed anew: of which sites something is known, and of which nothing, stays. */
  async soiling(): Promise<void> {
    await this.#before("update of next_at on site_soiling", "return null;");
  }

  /** Robots have ten minutes more than 8 s to confirm such a command (protocol rule 6), or until `endSettleTime`. */
  async settleTime(verb: "START" | "STOP"): Promise<void> {
    const longer = "new.settle_by := new.settle_by + interval '10 minutes'";
    await this.#before("insert on commands", `if new.verb = '${verb}' then ${longer}; end if; return new;`);
  }

  /** A message that nobody took is not tried again. */
  async tries(): Promise<void> {
    await this.#before("update of due_at on deliveries", "new.due_at := new.due_at + interval '1 day'; return new;");
  }

  async release(): Promise<void> {
    for (const name of this.#names.splice(0)) await this.#sql(`drop function ${name} cascade`);
  }

  async #before(event: string, work: string): Promise<void> {
    const name = `held_${randomUUID().replaceAll("-", "")}`;
    await this.#sql(`create function ${name}() returns trigger language plpgsql as $$ begin ${work} end $$`);
    this.#names.push(name);
    await this.#sql(`create trigger ${name} before ${event} for each row execute function ${name}()`);
  }
}
