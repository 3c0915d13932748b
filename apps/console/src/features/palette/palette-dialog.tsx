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
import { stopOf, useEntries } from "./palette-entries.ts";
import { type Entry, type Kind, recentFirst, recentOf, searchEntries, verbOf, withRecent } from "./palette-search.ts";

interface PaletteDialogProps {
  readonly pages: readonly GoPage[];
  readonly onShortcuts: () => void;
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
export function PaletteDialog({ pages, onShortcuts, onClose }: PaletteDialogProps) {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const found = useEntries(pages, onShortcuts);
  const [recent, remember] = useRecent();
  const sections = useSections(found, recent, query);
  const options = sections.flatMap(({ entries }) => entries);
  const activeIndex = Math.min(active, options.length - 1);
  const isNothingFound = sections.every(({ name }) => name === MORE);
  const id = useId();
  const optionId = (index: number) => `${id}-${index}`;
  const navigate = useNavigate();

  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    remember(entry.key);
    // Whatever follows takes the focus only after the dialog has given it back.
    flushSync(onClose);
    setTimeout(() => {
      if (typeof entry.leads === "function") return entry.leads();
      void navigate(entry.leads);
      document.querySelector("main")?.focus({ preventScroll: true });
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { nativeEvent, key } = event;
    if (nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined && options.length > 0) setActive((activeIndex + step + options.length) % options.length);
    else if (key === "Enter") choose(options[activeIndex]);
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
            setActive(0);
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
                  onPoint={() => setActive(own)}
                  onChoose={() => choose(entry)}
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
        {query.trim() === "" ? "" : options.length === 1 ? "1 result" : `${options.length} results`}
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

function useSections(
  { places, pages, actions, themes }: ReturnType<typeof useEntries>,
  recent: readonly string[],
  query: string,
): readonly Section[] {
  const ordered = useMemo(() => recentFirst(places, recent), [places, recent]);
  if (query.trim() === "") {
    const lately = recentOf([...places, ...pages, ...actions], recent);
    const sections = [
      { name: RECENT, entries: lately, more: 0 },
      { name: KIND_NAMES.page, entries: without(pages, lately), more: 0 },
      { name: KIND_NAMES.action, entries: without(actions, lately), more: 0 },
    ];
    return sections.filter(({ entries }) => entries.length > 0);
  }
  const verb = verbOf(query);
  const about = verb?.of ?? query;
  const toStop = verb?.verb === "stop" ? searchEntries(ordered, about) : [];
  const kinds = searchEntries(
    verb === null ? [...ordered, ...recentFirst([...pages, ...actions, ...themes], recent)] : ordered,
    about,
  );
  const sections = kinds.map(({ kind, entries, count }) => ({
    name: KIND_NAMES[kind],
    entries,
    more: count - entries.length,
  }));
  const stops = toStop.flatMap(({ entries }) => entries.flatMap(stopOf));
  return [
    ...(stops.length > 0 ? [{ name: "Stop at once", entries: stops, more: 0 }] : []),
    ...sections,
    { name: MORE, entries: [allRobots(about.trim())], more: 0 },
  ];
}

function without(entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !others.includes(entry));
}

/** The table of robots also finds firmware, motors and partners. */
function allRobots(query: string): Entry {
  const name = `All robots matching “${query}”`;
  return { key: "robots", kind: "robot", name, detail: "", nameText: "", text: "", leads: paths.robots({ q: query }) };
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
  const { kind, name, detail } = entry;
  const isStop = kind === "action" && name.startsWith("Stop ");
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

/** What the user has chosen lately in this browser, and what adds to it. */
function useRecent(): readonly [readonly string[], (key: string) => void] {
  const key = recentKeyOf(useSignedIn().user.id);
  const [recent] = useState(() => (localStorage.getItem(key) ?? "").split("\n").filter((one) => one !== ""));
  return [recent, (chosen) => localStorage.setItem(key, withRecent(recent, chosen).join("\n"))];
}
