import type { ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { isWorse } from "@suncrew/domain/alerts/severity-order.ts";
import { alertKindOf } from "@suncrew/domain/notifications/alert-kinds.ts";
import { nextTelling, noticeAfter, type Telling } from "@suncrew/domain/notifications/escalation.ts";
import { alertsMessage, clearedMessage, type MessageFrame } from "@suncrew/domain/notifications/message.ts";
import { quietUntil } from "@suncrew/domain/notifications/quiet-hours.ts";
import { ruleMatches } from "@suncrew/domain/notifications/rule-match.ts";
import { isClockWrong } from "../../platform/clock-watch.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { PeriodicTasks } from "../../platform/periodic-task.ts";
import {
  dropOver,
  type PlannedDelivery,
  planDeliveries,
  readWhoHearsTheEnd,
  readWhoWasTold,
} from "./deliveries.repository.ts";
import {
  type Notice,
  type NoticedAlert,
  readChangedAlerts,
  readDueNotices,
  readNotices,
  readOpenLosses,
  readProgress,
  readRules,
  type Rule,
  storeNotices,
  storeProgress,
  tryLockNotifier,
} from "./notices.repository.ts";
import { type Contact, type Directory, readDirectory } from "./recipients.repository.ts";
import { toldAlert } from "./told-alerts.ts";

const ROUND_EVERY_MS = 1_000;
const CHANNEL_FAILING = "CHANNEL_FAILING" satisfies ServerAlertCode;
const RUN_CUT_SHORT = "RUN_CUT_SHORT" satisfies ServerAlertCode;

type NotifierDependencies = Pick<Dependencies, "db" | "clock" | "clocks" | "log"> & {
  /** Called when there may be something to send. */
  readonly onPlanned?: () => void;
};

/**
 * Decides who is told of which alerts, and when: every second, one server at a time. Nothing is sent here. An alert that
 * was raised before a rule was made is not told by it.
 */
export class Notifier extends PeriodicTasks {
  constructor({ onPlanned, ...deps }: NotifierDependencies) {
    const work = async () => {
      // By a clock that is wrong, people would be told at the wrong hours.
      if (isClockWrong(deps)) return;
      const now = deps.clock.now();
      if (!(await isAnythingToDo(deps.db, now))) return;
      const round = await inTransaction(deps.db, (tx) => notify(tx, now));
      if (round > 0) onPlanned?.();
    };
    super(deps, [{ name: "notifier", everyMs: ROUND_EVERY_MS, work }]);
  }
}

async function isAnythingToDo(db: Db, now: Date): Promise<boolean> {
  const { from, isChanged, isDue } = await readProgress(db, now);
  return from === null || isChanged || isDue;
}

/** One round; answers how many messages it planned, 0 while another server decides. */
async function notify(tx: Tx, now: Date): Promise<number> {
  if (!(await tryLockNotifier(tx))) return 0;
  const { from, until, isChanged } = await readProgress(tx, now);
  const [rules, directory] = [await readRules(tx), await readDirectory(tx)];
  if (from !== null && isChanged) await noteChanges(tx, from, rules, directory, now);
  if (from === null || isChanged) await storeProgress(tx, until);
  const planned = await tellDue(tx, new Map(rules.map((rule) => [rule.id, rule])), directory, now);
  await planDeliveries(tx, planned, headingOf, now);
  return planned.length;
}

/** Brings the notices of alerts that changed into line with them. */
async function noteChanges(
  tx: Tx,
  from: string,
  rules: readonly Rule[],
  directory: Directory,
  now: Date,
): Promise<void> {
  const changed = await readChangedAlerts(tx, from);
  const known = Map.groupBy(
    await readNotices(
      tx,
      changed.map(({ id }) => id),
    ),
    ({ alertId }) => alertId,
  );
  const isKnown = new Set([...known.values()].flat().map(({ alertId, ruleId }) => `${alertId}:${ruleId}`));
  const noted: Notice[] = [];
  for (const alert of changed) {
    for (const notice of known.get(alert.id) ?? []) {
      const rule = rules.find(({ id }) => id === notice.ruleId);
      const after = rule && changedNotice(notice, alert, rule, directory, now);
      if (after) noted.push(after);
    }
    if (alert.clearedAt !== null) continue;
    for (const rule of rules.filter(({ isActive }) => isActive)) {
      if (isKnown.has(`${alert.id}:${rule.id}`) || !isAbout(rule, alert, directory)) continue;
      if (alert.raisedAt < rule.createdAt) continue;
      noted.push(newNotice(rule, alert, now));
    }
  }
  await storeNotices(tx, noted);
  const over = changed.filter(({ id, clearedAt }) => clearedAt !== null && known.has(id)).map(({ id }) => id);
  if (over.length > 0) await dropOver(tx, over, now);
}

/** A subscription is about what its subscriber may see. */
function isAbout(rule: Rule, alert: NoticedAlert, directory: Directory): boolean {
  const { source, code, severity, siteId, state, partnerId } = alert;
  if (!ruleMatches(rule.filter, { kind: alertKindOf(source, code), severity, siteId, state, partnerId })) return false;
  return rule.userId === null || directory.personMaySee(rule.userId, alert);
}

function newNotice(rule: Rule, alert: NoticedAlert, now: Date): Notice {
  const notice = {
    alertId: alert.id,
    ruleId: rule.id,
    severity: alert.severity,
    raisedAt: alert.raisedAt,
    noticedAt: now,
    firstToldAt: null,
    lastToldAt: null,
    step: null,
    ended: false,
  };
  return { ...notice, nextAt: alert.acknowledgedAt === null ? dueAt(rule, notice) : null };
}

/**
 * What becomes of a notice as its alert changes; null if nothing does. Of a rule that is switched off, too: its time comes
 * when the rule is on again.
 */
function changedNotice(
  notice: Notice,
  alert: NoticedAlert,
  rule: Rule,
  directory: Directory,
  now: Date,
): Notice | null {
  if (notice.ended) return null;
  if (alert.clearedAt !== null) {
    // The all-clear is collected like the alerts themselves.
    if (notice.lastToldAt === null || !rule.tells_cleared) return { ...notice, nextAt: null, ended: true };
    // Collected already: this is a second look at the same change.
    if (notice.step === null && notice.nextAt !== null) return null;
    return { ...notice, step: null, nextAt: new Date(now.getTime() + rule.wait_seconds * 1_000) };
  }
  // It may have moved to another site.
  const isWanted = isAbout(rule, { ...alert, severity: notice.severity }, directory);
  const { raisedAt } = alert;
  const isUnacknowledged = alert.acknowledgedAt === null;
  const isWorsened = isWorse(alert.severity, notice.severity);
  if (isWorsened || raisedAt > notice.raisedAt) {
    const severity = isWorsened ? alert.severity : notice.severity;
    const noticedAt = notice.lastToldAt === null ? notice.noticedAt : now;
    const worse: Notice = { ...notice, severity, raisedAt, step: null, firstToldAt: null, noticedAt };
    return { ...worse, nextAt: isWanted && isUnacknowledged ? dueAt(rule, worse) : null };
  }
  if (!isWanted || !isUnacknowledged) return notice.nextAt === null ? null : { ...notice, nextAt: null };
  // Its acknowledgement was taken back.
  return notice.nextAt === null ? { ...notice, nextAt: dueAt(rule, notice) } : null;
}

/** An alert's times count from when it was noticed. */
const stateOf = (notice: Omit<Notice, "nextAt">) => ({ ...notice, raisedAt: notice.noticedAt });

function telling(rule: Rule, notice: Omit<Notice, "nextAt">): Telling | null {
  return nextTelling(rule, stateOf(notice));
}

const dueAt = (rule: Rule, notice: Omit<Notice, "nextAt">) => telling(rule, notice)?.at ?? null;

/** Tells what is due: moves its notices on, and answers what is to be sent to whom. */
async function tellDue(
  tx: Tx,
  rules: ReadonlyMap<number, Rule>,
  directory: Directory,
  now: Date,
): Promise<PlannedDelivery[]> {
  const due = await readDueNotices(tx, now);
  const raised = new Recipients(directory, now);
  const knowsOfLoss = await readKnowledgeOfLoss(
    tx,
    due.map(({ alert }) => alert),
  );
  const knowsAlready = await readKnowledge(tx, due, rules, raised);
  const after: Notice[] = [];
  for (const { notice, alert } of due) {
    const rule = rules.get(notice.ruleId);
    if (rule === undefined || alert.clearedAt !== null) continue;
    const next = telling(rule, notice);
    // The rule was changed since.
    if (next === null || (next.at > now && next.step !== 0)) {
      after.push({ ...notice, nextAt: next?.at ?? null });
      continue;
    }
    // That a channel fails is told through the others.
    const reached = (step: Telling["step"]) =>
      raised.of(rule, step, alert).filter((contact) => alert.code !== CHANNEL_FAILING || !contact.isFailing);
    let [step, told] = [next.step, noticeAfter(stateOf(notice), next, now)];
    // Nobody waits for people of whom there are none: the next step is told at once.
    while (step !== "all" && reached(step).length === 0 && step + 1 < rule.steps.length) {
      step += 1;
      told = noticeAfter(told, { step }, now);
    }
    for (const contact of reached(step)) {
      if (next.reason === "RAISED" && knowsAlready(contact, notice, alert)) continue;
      if (!knowsOfLoss(contact, alert)) raised.tell(contact, alert);
    }
    const { firstToldAt, lastToldAt } = told;
    const moved = { ...notice, firstToldAt, lastToldAt, step: told.step };
    after.push({ ...moved, nextAt: dueAt(rule, moved) });
  }
  const cleared = due.filter(({ alert }) => alert.clearedAt !== null);
  after.push(...cleared.map(({ notice }) => ({ ...notice, nextAt: null, ended: true })));
  const allClear = await clearing(tx, cleared, rules, directory, now);
  await storeNotices(tx, after);
  return [...raised.planned("ALERTS"), ...allClear.planned("CLEARED")];
}

interface DueNotice {
  readonly notice: Notice;
  readonly alert: NoticedAlert;
}

/** Whether somebody whom a rule is to tell of an alert was told by another one, and it has not got worse since. */
async function readKnowledge(
  tx: Tx,
  due: readonly DueNotice[],
  rules: ReadonlyMap<number, Rule>,
  recipients: Recipients,
): Promise<(contact: Contact, notice: Notice, alert: NoticedAlert) => boolean> {
  const ids = due.map(({ alert }) => alert.id);
  const told = (await readNotices(tx, ids)).filter(({ firstToldAt }) => firstToldAt !== null);
  if (told.length === 0) return () => false;
  const reached = new Set((await readWhoWasTold(tx, ids)).map(({ alertId, contactId }) => `${alertId} ${contactId}`));
  const byAlert = Map.groupBy(told, ({ alertId }) => alertId);
  return (contact, { ruleId }, alert) =>
    reached.has(`${alert.id} ${contact.id}`) &&
    (byAlert.get(alert.id) ?? []).some((other) => {
      const rule = rules.get(other.ruleId);
      if (rule === undefined || other.ruleId === ruleId) return false;
      return rule.steps.some(
        (_, nth) => nth <= (other.step ?? -1) && recipients.of(rule, nth, alert).includes(contact),
      );
    });
}

/** Whether whoever was told that a robot was lost while it moved need not be told as well that this cut its run short. */
async function readKnowledgeOfLoss(
  tx: Tx,
  alerts: readonly NoticedAlert[],
): Promise<(contact: Contact, alert: NoticedAlert) => boolean> {
  const robotIds = alerts.flatMap(({ code, robotId }) => (code === RUN_CUT_SHORT && robotId !== null ? [robotId] : []));
  if (robotIds.length === 0) return () => false;
  const losses = new Map(await readOpenLosses(tx, robotIds));
  const told = await readWhoWasTold(tx, [...losses.values()]);
  const known = new Set(told.map(({ alertId, contactId }) => `${alertId} ${contactId}`));
  return ({ id }, { code, robotId }) =>
    code === RUN_CUT_SHORT && robotId !== null && known.has(`${losses.get(robotId)} ${id}`);
}

/** The all-clear for whoever was told, once, unless only rules that tell none have told them. */
async function clearing(
  tx: Tx,
  cleared: readonly DueNotice[],
  rules: ReadonlyMap<number, Rule>,
  directory: Directory,
  now: Date,
): Promise<Recipients> {
  const recipients = new Recipients(directory, now);
  if (cleared.length === 0) return recipients;
  const alerts = new Map(cleared.map(({ alert }) => [alert.id, alert]));
  const telling = Map.groupBy(cleared, ({ alert }) => alert.id);
  const all = Map.groupBy(await readNotices(tx, [...alerts.keys()]), ({ alertId }) => alertId);
  // Another rule, which waits for less, may have told them already.
  const heard = await readWhoHearsTheEnd(tx, [...alerts.keys()]);
  const isHeard = new Set(heard.map(({ alertId, contactId }) => `${alertId} ${contactId}`));
  for (const { alertId, contactId } of await readWhoWasTold(tx, [...alerts.keys()])) {
    if (isHeard.has(`${alertId} ${contactId}`)) continue;
    const [alert, contact] = [alerts.get(alertId), directory.get(contactId)];
    if (alert === undefined || contact === undefined || !directory.maySee(contact, alert)) continue;
    const silent = (all.get(alertId) ?? []).some(
      ({ lastToldAt, ruleId }) => lastToldAt !== null && rules.get(ruleId)?.tells_cleared === false,
    );
    const meant = (telling.get(alertId) ?? []).some(({ notice }) => {
      const rule = rules.get(notice.ruleId);
      return rule !== undefined && (!silent || recipients.of(rule, "all", alert).includes(contact));
    });
    if (meant) recipients.tell(contact, alert);
  }
  return recipients;
}

/** Who is told what in one round: each contact point once. */
class Recipients {
  readonly #directory: Directory;
  readonly #now: Date;
  /** By rule, step and site: the alerts of one site have the same recipients. */
  readonly #found = new Map<string, readonly Contact[]>();
  readonly #told = new Map<Contact, Set<NoticedAlert>>();

  constructor(directory: Directory, now: Date) {
    this.#directory = directory;
    this.#now = now;
  }

  of(rule: Rule, step: number | "all", alert: NoticedAlert): readonly Contact[] {
    const key = `${rule.id} ${step} ${alert.siteId}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const targets = rule.steps.filter((_, index) => step === "all" || index === step).flatMap(({ to }) => to);
    const found = this.#directory.recipients(targets, rule.userId, alert, this.#now);
    this.#found.set(key, found);
    return found;
  }

  tell(contact: Contact, alert: NoticedAlert): void {
    const told = this.#told.get(contact) ?? new Set();
    this.#told.set(contact, told.add(alert));
  }

  /** What is not to disturb anybody waits for the end of the quiet time; critical alerts do not, where that was chosen. */
  planned(kind: PlannedDelivery["kind"]): PlannedDelivery[] {
    return Array.from(this.#told, ([contact, told]): PlannedDelivery[] => {
      const quietEnd = quietUntil(contact, this.#now);
      const pierces = ({ severity }: NoticedAlert) => contact.criticalPierces && severity === "CRITICAL";
      const alerts = [...told];
      const [at, held] = [
        alerts.filter((alert) => quietEnd === null || pierces(alert)),
        alerts.filter((alert) => quietEnd !== null && !pierces(alert)),
      ];
      return [
        { contact, kind, alerts: at, heldUntil: null },
        { contact, kind, alerts: held, heldUntil: quietEnd },
      ];
    })
      .flat()
      .filter(({ alerts }) => alerts.length > 0);
  }
}

/** What a message is called until it is written. */
function headingOf(kind: PlannedDelivery["kind"], alerts: readonly NoticedAlert[]) {
  const write = kind === "ALERTS" ? alertsMessage : clearedMessage;
  const { title, severity } = write(
    NO_FRAME,
    alerts.map((alert) => toldAlert(alert, null)),
  );
  return { title, severity };
}

const NO_FRAME: MessageFrame = { id: "", url: null, footer: "", timezone: "UTC", now: new Date(0) };
