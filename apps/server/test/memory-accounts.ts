import {
  type BrokerAccounts,
  BrokerUpdateError,
  type DeviceAccount,
  AccountNameTakenError,
} from "../src/platform/broker-accounts/broker-accounts.ts";

/** A broker with its own accounts, in the test's memory. */
export class MemoryAccounts implements BrokerAccounts {
  readonly form = "dynamic-security";
  readonly secrets = new Map<string, string>();
  readonly cut: string[] = [];
  /** Serial numbers whose retirement was requested, even if it failed. */
  readonly retirementRequests: string[] = [];
  isAway = false;
  /** A name that is already taken at the broker. */
  taken: string | null = null;
  /** Serial numbers whose retirement the broker refuses. */
  readonly refused = new Set<string>();
  /** What the broker does before it confirms that it has stored accounts. */
  beforeAnswer: (devices: readonly DeviceAccount[]) => Promise<void> = async () => {};

  async put(devices: readonly DeviceAccount[]): Promise<void> {
    for (const { serial, secret } of devices) {
      this.#reach();
      if (serial === this.taken) throw new AccountNameTakenError(serial);
      this.secrets.set(serial, secret);
    }
    await this.beforeAnswer(devices);
  }

  async disconnect(serial: string): Promise<void> {
    this.#reach();
    this.cut.push(serial);
  }

  async retire(serial: string): Promise<void> {
    this.retirementRequests.push(serial);
    this.#reach();
    if (this.refused.has(serial)) throw new BrokerUpdateError("The broker refused.", "refused", false);
    this.secrets.delete(serial);
    this.cut.push(serial);
  }

  #reach(): void {
    if (this.isAway) throw new BrokerUpdateError("The robots' broker cannot be reached.", "away", false);
  }
}
