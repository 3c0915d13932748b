import type { createRollout, Rollout, rolloutDetails, controlRollout } from "@suncrew/contract/firmware/firmware.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { firmwareSentences } from "./firmware-sentences.ts";
import { listRollouts, rolloutWithRobots } from "./rollout-answers.ts";
import { beginRollout, steer } from "./steer-rollouts.ts";

/** What Super Admins do about rollouts; the engine brings them on. */
export class Deployments {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  list(): Promise<Rollout[]> {
    return listRollouts(this.#deps.db);
  }

  /** Throws 404. */
  async details(rolloutId: number): Promise<ResponseOf<typeof rolloutDetails>> {
    const { db, clock, broker } = this.#deps;
    const canSend = broker.connected && this.#hasAddress();
    const rollout = await rolloutWithRobots(db, rolloutId, { now: clock.now(), canSend });
    if (rollout === null) throw notFound("Rollout");
    return rollout;
  }

  /** Throws 404, and 409 where robots are in another rollout or could not reach this server. */
  async begin(viewer: Viewer, body: BodyOf<typeof createRollout>): Promise<ResponseOf<typeof createRollout>> {
    const { db, clock } = this.#deps;
    const circumstances = { at: clock.now(), hasAddress: this.#hasAddress() };
    const begun = await transactionWithRetry(db, (tx) => beginRollout(tx, viewer, body, circumstances));
    if (begun instanceof HttpError) throw begun;
    return { message: firmwareSentences.begun(begun.robots), rolloutId: begun.rolloutId };
  }

  /** Throws 404, and 409 where it is over. */
  async steer(
    viewer: Viewer,
    rolloutId: number,
    { action }: BodyOf<typeof controlRollout>,
  ): Promise<{ message: string }> {
    const { db, clock } = this.#deps;
    const steered = await transactionWithRetry(db, (tx) => steer(tx, viewer, rolloutId, action, clock.now()));
    if (steered instanceof HttpError) throw steered;
    return { message: steered };
  }

  /** Robots could download from this server. */
  #hasAddress(): boolean {
    return (this.#deps.settings.publicUrl?.() ?? null) !== null;
  }
}
