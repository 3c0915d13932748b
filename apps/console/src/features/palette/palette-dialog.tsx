import { Button, CloseButton } from "@mantine/core";
import {
  IconArrowRight,
  IconBolt,
  IconBuildingStore,
  IconFileText,
  IconHandStop,
  IconRobot,
  IconSearch,
  IconSolarPanel,
  IconUsersGroup,
} from "@tabler/icons-react";
import { type ComponentType, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNavigate } from "react-router";
import { liveStore, useLiveValue, useRobotLive } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { Look } from "../../ui/look.ts";
import { StatusIcon } from "../../ui/status-icon.tsx";
import { fleetFigureLook, figureOf } from "../fleet/public.ts";
import { siteStatusLook } from "../sites/public.ts";
import shared from "../../ui/shared.module.css";
import type { GoPage } from "./palette.tsx";
import classes from "./palette-dialog.module.css";
import { type Doing, useEntries } from "./palette-entries.ts";
import {
  type Entry,
  type Kind,
  recentFirst,
  recentOf,
  searchEntries,
  searchStops,
  verbOf,
  withRecent,
} from "./palette-search.ts";

interface PaletteDialogProps extends Doing {
  readonly pages: readonly GoPage[];
  readonly onClose: () => void;
}

const KIND_NAMES: Record<Kind, string> = {
  robot: "Robots",
  site: "Sites",
  group: "Groups",
  partner: "Partners",
  page: "Pages",
  action: "Actions",
};

/** Results under one heading. */
interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** How many more match. */
  readonly more: number;
}

/** The command palette: jumps to what is typed, or does it. It never starts a robot. */
export function PaletteDialog({ pages, onClose, ...doing }: PaletteDialogProps) {
  const [query, setQuery] = useState("");
  const [chosenKey, choose] = useState<string | null>(null);
  const found = useEntries(pages, doing);
  const [recent, remember] = useRecent();
  const { sections, meant } = useSections(found, recent, query);
  const options = sections.flatMap(({ entries }) => entries);
  // The list grows while it loads: Enter never sends another Stop than the one that was seen to be chosen.
  if (chosenKey === null && meant !== null) choose(meant.key);
  const activeIndex =
    chosenKey !== null
      ? options.findIndex(({ key }) => key === chosenKey)
      : options.length === 0 || options[0]?.isStop === true || verbOf(query)?.verb === "stop"
        ? -1
        : 0;
  const isNothingFound = sections.every(({ name }) => name === MORE);
  const id = useId();
  const optionId = (index: number) => `${id}-${index}`;
  const navigate = useNavigate();

  const follow = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    // Whatever follows takes the focus only after the dialog has given it back.
    flushSync(onClose);
    setTimeout(() => {
      if (typeof entry.leads === "function") return entry.leads();
      void navigate(entry.leads);
      document.querySelector("main")?.focus({ preventScroll: true });
      remember(entry);
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { nativeEvent, key } = event;
    if (nativeEvent.isComposing) return;
    if (key === "ArrowDown") choose((options[activeIndex + 1] ?? options[0])?.key ?? null);
    else if (key === "ArrowUp") choose((options[activeIndex - 1] ?? options.at(-1))?.key ?? null);
    else if (key === "Enter") follow(options[activeIndex]);
    else if (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) onClose();
    else return;
    event.preventDefault();
  };

  return (
    <Dialog
      onClose={onClose}
      title="Search"
      size={640}
      padding={0}
      yOffset="10vh"
      // The list grows and shrinks below the field, which stays where it is.
      centered={false}
      fullScreenBelow="36em"
      classNames={{
        header: shared["visuallyHidden"] ?? "",
        content: classes["content"] ?? "",
        body: classes["body"] ?? "",
      }}
      withCloseButton={false}
    >
      <div className={classes["head"]}>
        <IconSearch size={18} aria-hidden />
        <input
          className={classes["input"]}
          data-autofocus
          role="combobox"
          aria-label="Search, or say what to do"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={activeIndex < 0 ? undefined : optionId(activeIndex)}
          placeholder="Site, robot, group, page or action"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={query}
          onChange={({ currentTarget }) => {
            setQuery(currentTarget.value);
            choose(null);
          }}
          onKeyDown={onKeyDown}
        />
        <CloseButton aria-label="Close" className={classes["close"] ?? ""} onClick={onClose} />
      </div>
      {isNothingFound && (
        <p className={classes["none"]}>
          {found.isLoading ? "Loading sites and robots..." : `Nothing here matches “${query.trim()}”.`}
        </p>
      )}
      <div id={`${id}-list`} className={classes["list"]} role="listbox" aria-label="Results">
        {sections.map(({ name, entries, more }) => (
          <div key={name} role="group" aria-label={name}>
            <div className={classes["heading"]} aria-hidden>
              {name}
              {more > 0 && <span className={classes["more"]}>{more.toLocaleString("en-GB")} more</span>}
            </div>
            {entries.map((entry) => {
              const own = options.indexOf(entry);
              return (
                <Option
                  key={entry.key}
                  id={optionId(own)}
                  entry={entry}
                  isActive={own === activeIndex}
                  onPoint={() => choose(entry.key)}
                  onChoose={() => follow(entry)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {found.hasFailed && (
        <div className={classes["failed"]} role="alert">
          Not everything could be loaded, so some results are missing.
          <Button size="compact-xs" variant="default" loading={found.isRetrying} onClick={found.retry}>
            Retry
          </Button>
        </div>
      )}
      <div className={shared["visuallyHidden"]} role="status">
        {query.trim() === ""
          ? ""
          : options.length === 1
            ? "1 result"
            : `${options.length.toLocaleString("en-GB")} results`}
      </div>
      <div className={classes["foot"]} aria-hidden>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> to choose
        </span>
        <span>
          <kbd>Enter</kbd> to open
        </span>
        <span>
          <kbd>Esc</kbd> to close
        </span>
        <span className={classes["hint"]}>“stop 1004” stops that robot</span>
      </div>
    </Dialog>
  );
}

const RECENT = "Recent";
const MORE = "More";

interface Sections {
  readonly sections: readonly Section[];
  /** The Stop that is chosen without a further key. */
  readonly meant: Entry | null;
}

function useSections(
  { places, pages, actions, themes, stopOf }: ReturnType<typeof useEntries>,
  recent: readonly string[],
  query: string,
): Sections {
  const ordered = useMemo(() => recentFirst(places, recent), [places, recent]);
  // Not again for each arrow key and each message of a robot: a large fleet has thousands of entries.
  return useMemo(() => {
    if (query.trim() === "") {
      const lately = recentOf([...places, ...pages], recent);
      const sections = [
        { name: RECENT, entries: lately, more: 0 },
        { name: KIND_NAMES.page, entries: without(pages, lately), more: 0 },
        { name: KIND_NAMES.action, entries: actions, more: 0 },
      ];
      return { sections: sections.filter(({ entries }) => entries.length > 0), meant: null };
    }
    const verb = verbOf(query);
    const about = verb?.of ?? query;
    const { stops, meant } = searchStops({ places, actions, stopOf }, query);
    const kinds = searchEntries(
      verb === null ? [...ordered, ...recentFirst(pages, recent), ...actions, ...themes] : ordered,
      about,
    );
    const sections = kinds.map(({ kind, entries, count }) => ({
      name: KIND_NAMES[kind],
      entries,
      more: count - entries.length,
    }));
    return {
      sections: [
        ...(stops.length > 0 ? [{ name: "Stop at once", entries: stops, more: 0 }] : []),
        ...sections,
        { name: MORE, entries: [allRobots(about.trim())], more: 0 },
      ],
      meant,
    };
  }, [places, ordered, pages, actions, themes, stopOf, recent, query]);
}

function without(entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !others.includes(entry));
}

/** The table of robots also finds firmware, motors and partners. */
function allRobots(query: string): Entry {
  const name = `All robots matching “${query}”`;
  return { key: "robots", kind: "robot", name, detail: "", names: [], text: "", leads: paths.robots({ q: query }) };
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

const ICONS: Record<Kind, ComponentType<{ size?: number; "aria-hidden"?: boolean }>> = {
  robot: IconRobot,
  site: IconSolarPanel,
  group: IconUsersGroup,
  partner: IconBuildingStore,
  page: IconFileText,
  action: IconBolt,
};

function Option({ id, entry, isActive, onPoint, onChoose }: OptionProps) {
  const { kind, name, detail, isStop = false } = entry;
  const Icon = isStop ? IconHandStop : ICONS[kind];
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys are the field's, which keeps the focus
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isActive}
      className={classes["option"]}
      data-stop={isStop || undefined}
      onPointerMove={isActive ? undefined : onPoint}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span className={classes["icon"]}>
        <Icon size={17} aria-hidden />
      </span>
      <span className={classes["words"]}>
        <span className={classes["name"]}>{name}</span>
        {detail !== "" && <span className={classes["detail"]}>{detail}</span>}
      </span>
      <StateOf entry={entry} />
      <span className={classes["go"]}>{isActive && <IconArrowRight size={15} aria-hidden />}</span>
    </div>
  );
}

function StateOf({ entry: { kind, id } }: { readonly entry: Entry }) {
  if (id === undefined) return null;
  if (kind === "robot") return <RobotState id={id} />;
  return kind === "site" ? <SiteState id={id} /> : null;
}

function RobotState({ id }: { readonly id: number }) {
  const robot = useRobotLive(id);
  return robot === undefined ? null : <State look={fleetFigureLook[figureOf(robot)]} />;
}

function SiteState({ id }: { readonly id: number }) {
  const status = useLiveValue(() => liveStore.site(id)?.status);
  return status === undefined ? null : <State look={siteStatusLook[status]} />;
}

function State({ look }: { readonly look: Look }) {
  return (
    <span className={classes["state"]}>
      <StatusIcon look={look} size={14} />
      {look.label}
    </span>
  );
}

/** Each user of this browser has their own. */
const recentKeyOf = (userId: string) => `recentResults:${userId}`;

/** The places and pages that the user has chosen lately in this browser, and what adds to them. */
function useRecent(): readonly [readonly string[], (entry: Entry) => void] {
  const key = recentKeyOf(useSignedIn().user.id);
  const [recent] = useState(() => (localStorage.getItem(key) ?? "").split("\n").filter((one) => one !== ""));
  const remember = (chosen: Entry) => {
    if (chosen.kind === "action") return;
    try {
      localStorage.setItem(key, withRecent(recent, chosen.key).join("\n"));
    } catch {
      // The browser's storage may be full.
    }
  };
  return [recent, remember];
}
