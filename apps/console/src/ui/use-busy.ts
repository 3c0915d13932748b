import { useRef, useState } from "react";

/**
 * Whether an action is under way, and what runs one. A press before it has ended does nothing, even one that comes before
 * the button is drawn as busy; `run` then resolves to null.
 */
export function useBusy() {
  const [isBusy, setBusy] = useState(false);
  const isUnderWay = useRef(false);
  const run = async <T>(action: () => Promise<T>): Promise<T | null> => {
    if (isUnderWay.current) return null;
    isUnderWay.current = true;
    setBusy(true);
    try {
      return await action();
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return [isBusy, run] as const;
}
