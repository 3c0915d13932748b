import { Button } from "@mantine/core";
import { useEffect, useState, type ComponentType, type ReactNode } from "react";
import { FailedState } from "./failed-state.tsx";

/** All files of a part arrived, and still it cannot be imported before the page is reloaded. */
export class ReloadNeededError extends Error {
  override readonly name = "ReloadNeededError";
}

/** A part of the console whose files are loaded when it is first shown. */
export interface LazyPart<P> {
  (props: P): ReactNode;
  /** Loads it before it is needed; a failed load is repeated when it is shown. Never rejects. */
  readonly preload: () => Promise<void>;
}

export interface LazyPartLook<P> {
  /** Shown in its place while it is loading. */
  readonly waiting?: ReactNode | ((props: P) => ReactNode);
  /** Shown in its place if that failed. */
  readonly failed: (failure: PartFailure, props: P) => ReactNode;
}

export interface PartFailure {
  readonly retry: () => void;
  readonly isRetrying: boolean;
  /** A Retry failed: what is missing stays missing for this page. */
  readonly isLasting: boolean;
}

/** Shows a part once it is loaded; if its files cannot be loaded it says so in place, and Retry requests them again. */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { waiting = null, failed }: LazyPartLook<P>,
): LazyPart<P> {
  let loaded: ComponentType<P> | null = null;
  let underWay: Promise<void> | null = null;
  const take = async () => {
    loaded = await load();
  };
  const bring = (): Promise<void> => {
    if (loaded !== null) return Promise.resolve();
    underWay ??= take().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  function Part(props: P) {
    /** Attempts that were started, and how many of them have failed. */
    const [tries, setTries] = useState(1);
    const [failures, setFailures] = useState(0);
    const [isLoaded, setLoaded] = useState(loaded !== null);
    useEffect(() => {
      // Not by `loaded`: a preload may have set it since the part was rendered without.
      if (isLoaded) return undefined;
      let isShown = true;
      const failedToLoad = (error: unknown) => {
        if (!isShown) return;
        if (tries > 1 && error instanceof ReloadNeededError) location.reload();
        else setFailures(tries);
      };
      bring().then(() => isShown && setLoaded(true), failedToLoad);
      return () => {
        isShown = false;
      };
    }, [tries, isLoaded]);
    const Loaded = loaded;
    if (Loaded !== null) return <Loaded {...props} />;
    if (failures === 0) return typeof waiting === "function" ? waiting(props) : waiting;
    const retry = () => setTries(failures + 1);
    return failed({ retry, isRetrying: failures < tries, isLasting: failures > 1 }, props);
  }

  return Object.assign(Part, {
    preload: async () => {
      await bring().catch(() => undefined);
    },
  });
}

/** Shown in place of a part that could not be loaded: possible reasons, and ways on. */
export function FailedPart({ title, failure }: { readonly title: string; readonly failure: PartFailure }) {
  return (
    <FailedState
      title={title}
      message={
        failure.isLasting
          ? "A file of the console is missing. Suncrew may have been updated since this page was opened: reload it."
          : "A file of the console did not arrive. Everything else keeps working."
      }
      onRetry={failure.retry}
      retrying={failure.isRetrying}
      more={
        failure.isLasting && (
          <Button size="xs" onClick={() => location.reload()}>
            Reload page
          </Button>
        )
      }
    />
  );
}
