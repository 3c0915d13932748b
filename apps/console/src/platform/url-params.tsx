import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from "react";
import { type DataRouter, useLocation, useNavigate, useSearchParams } from "react-router";
import { readUrl, type UrlSchema, writeUrl } from "./url-state.ts";

/** `push` makes a step that Back undoes; `replace` does not, as for each letter of a search. */
export type HistoryMode = "push" | "replace";
export type ChangeUrlParams = (by: (params: URLSearchParams) => URLSearchParams, mode: HistoryMode) => void;

const DIALOG = "dialog";

const RouterContext = createContext<Pick<DataRouter, "state"> | null>(null);

/** For everything inside it, the router whose URL it is. */
export function UrlParamsProvider({ router, children }: { router: Pick<DataRouter, "state">; children: ReactNode }) {
  return <RouterContext value={router}>{children}</RouterContext>;
}

/**
 * The page's URL parameters, and how to change them. A change starts from the URL that was requested last, which may
 * not be rendered yet: so two changes at the same moment are both kept. A page that is being left changes nothing
 * more.
 */
export function useUrlParams(): readonly [URLSearchParams, ChangeUrlParams] {
  const [params] = useSearchParams();
  const router = useContext(RouterContext);
  if (router === null) throw new Error("useUrlParams outside of a UrlParamsProvider");
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const change = useCallback<ChangeUrlParams>(
    (by, mode) => {
      const { navigation, location } = router.state;
      const latest = navigation.location ?? location;
      if (latest.pathname !== pathname) return;
      const search = by(new URLSearchParams(latest.search)).toString();
      void navigate({ search }, { replace: mode === "replace", preventScrollReset: true });
    },
    [router, pathname, navigate],
  );
  return [params, change];
}

/**
 * Whether the dialog of that name, which is kept in the page's URL (`?dialog=`), is open, and how to open and close it.
 */
export function useUrlDialog(name: string): readonly [boolean, (isShown: boolean) => void] {
  const [params, change] = useUrlParams();
  const show = useCallback(
    (isShown: boolean) => {
      change(
        (current) => {
          const next = new URLSearchParams(current);
          if (isShown) next.set(DIALOG, name);
          else next.delete(DIALOG);
          return next;
        },
        isShown ? "push" : "replace",
      );
    },
    [change, name],
  );
  return [params.get(DIALOG) === name, show];
}

/**
 * For a dialog with a form, which Back must not close: a link may ask for it in the URL, which then forgets it. Called
 * with the newest `open`.
 */
export function useRequestedDialog(name: string, open: () => void): void {
  const [isRequested, show] = useUrlDialog(name);
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    if (!isRequested) return;
    show(false);
    latest.current();
  }, [isRequested, show]);
}

export interface UrlState<State> {
  readonly state: State;
  /** A change, or a function that makes one from the state that was requested last. */
  readonly change: (by: Partial<State> | ((now: State) => Partial<State>), mode: HistoryMode) => void;
}

/** The page's state in its URL. `schema` is a constant of its module. */
export function useUrlState<State>(schema: UrlSchema<State>): UrlState<State> {
  const [params, changeParams] = useUrlParams();
  const state = useMemo(() => readUrl(schema, params), [schema, params]);
  const change = useCallback<UrlState<State>["change"]>(
    (by, mode) =>
      changeParams((now) => writeUrl(schema, now, typeof by === "function" ? by(readUrl(schema, now)) : by), mode),
    [schema, changeParams],
  );
  return { state, change };
}
