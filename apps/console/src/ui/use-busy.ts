import { useRef, useState } from "react";

/**
 * Whether an action is in progress, and the function that runs one. A press before it has ended does nothing, even one
 * that comes before the button is rendered as busy; `run` then resolves to null.
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
