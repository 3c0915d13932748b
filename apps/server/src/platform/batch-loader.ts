import DataLoader from "dataloader";

/**
 * Loads everything that is requested within one turn of the event loop with one query, or does it together. A key for
 * which `work` finds nothing is null; if `work` fails, every request of the batch rejects. Nothing is cached.
 */
export class BatchLoader<K, V> extends DataLoader<K, V | null> {
  constructor(work: (keys: readonly K[]) => Promise<ReadonlyMap<K, V> | void>) {
    super(
      async (keys) => {
        const found = await work([...new Set(keys)]);
        return keys.map((key) => found?.get(key) ?? null);
      },
      { cache: false, batchScheduleFn: (dispatch) => void setImmediate(dispatch) },
    );
  }
}
