import type { Client } from "aedes";

/** Connections by the account they gave, from the moment they gave it. */
export class AccountConnections {
  readonly #open = new Map<string, Set<Client>>();

  add(account: string, client: Client): void {
    const clients = this.#open.get(account) ?? new Set();
    clients.add(client);
    this.#open.set(account, clients);
    client.conn.once("close", () => {
      clients.delete(client);
      if (clients.size === 0 && this.#open.get(account) === clients) this.#open.delete(account);
    });
  }

  /** False once it was ended. */
  has(account: string, client: Client): boolean {
    return this.#open.get(account)?.has(client) === true;
  }

  /** Answers those that are signed in, to be closed; a sign-in that is being checked is refused once it asks `has`. */
  end(account: string, isSignedIn: (client: Client) => boolean): Client[] {
    const clients = [...(this.#open.get(account) ?? [])];
    this.#open.delete(account);
    return clients.filter(isSignedIn);
  }
}
