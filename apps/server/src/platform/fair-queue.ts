/** Whose work it is. A person's tasks run one at a time, and teams take turns however much each has queued. */
export interface WorkOwner {
  readonly person: string;
  readonly team: string;
}

/** A running task's slot, to be released. */
export interface QueueSlot {
  /** Lets other people's tasks run; the same person's next one still waits for `end`. */
  yield(): void;
  end(): void;
}

export interface FairQueueOptions {
  readonly maxConcurrent: number;
  /** Tasks that may wait, per person and in total. */
  readonly maxWaitingPerPerson: number;
  readonly maxWaiting: number;
  /** The error when the queue is full, for this person or for everybody. */
  readonly refusal: (whose: "person" | "all") => Error;
}

interface Waiting {
  readonly owner: WorkOwner;
  readonly begin: () => void;
}

/** The line that has gone longest without a turn is next. */
interface Line<T> {
  lastTurn: number;
  readonly waiting: T;
}

type People = Map<string, Line<Waiting[]>>;

/** Limits how much heavy work runs at a time, and shares it out fairly. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** Who waits or works, by team, then by person. */
  readonly #teams = new Map<string, Line<People>>();
  readonly #busy = new Set<string>();
  #turns = 0;
  #waiting = 0;
  #working = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves when it is this owner's turn. Rejects if too much waits already, or once the signal aborts. */
  async enter(owner: WorkOwner, signal: AbortSignal): Promise<QueueSlot> {
    signal.throwIfAborted();
    const { maxWaiting, maxWaitingPerPerson, refusal } = this.#options;
    if (this.#waiting >= maxWaiting) throw refusal("all");
    if (this.#placesOf(owner).length >= maxWaitingPerPerson) throw refusal("person");
    const { promise, resolve, reject } = Promise.withResolvers<QueueSlot>();
    const place: Waiting = { owner, begin: () => resolve(this.#turnOf(owner)) };
    this.#join(place);
    const leave = () => {
      if (this.#leave(place)) reject(signal.reason);
    };
    signal.addEventListener("abort", leave);
    this.#next();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Runs `work` when it is this owner's turn, and returns its result. */
  async run<T>(owner: WorkOwner, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = await this.enter(owner, signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  #turnOf(owner: WorkOwner): QueueSlot {
    let works = true;
    let ended = false;
    const stopWork = () => {
      if (works) this.#working -= 1;
      works = false;
    };
    return {
      yield: () => {
        stopWork();
        this.#next();
      },
      end: () => {
        if (ended) return;
        ended = true;
        stopWork();
        this.#busy.delete(owner.person);
        this.#forgetIdle(owner);
        this.#next();
      },
    };
  }

  #next(): void {
    while (this.#working < this.#options.maxConcurrent) {
      const next = this.#first();
      if (next === null) return;
      this.#working += 1;
      this.#busy.add(next.owner.person);
      this.#leave(next);
      next.begin();
    }
  }

  /** The next task that may begin; counts as a turn of its team and its person. */
  #first(): Waiting | null {
    const ready = (people: People) =>
      [...people].filter(([person, { waiting }]) => waiting.length > 0 && !this.#busy.has(person));
    const teams = [...this.#teams.values()].filter(({ waiting }) => ready(waiting).length > 0);
    const team = longestWithout(teams);
    const line = team && longestWithout(ready(team.waiting).map(([, each]) => each));
    if (!line) return null;
    this.#turns += 1;
    team.lastTurn = this.#turns;
    line.lastTurn = this.#turns;
    return line.waiting[0] ?? null;
  }

  #placesOf({ team, person }: WorkOwner): Waiting[] {
    return this.#teams.get(team)?.waiting.get(person)?.waiting ?? [];
  }

  #join(place: Waiting): void {
    const { team, person } = place.owner;
    // Before whoever had the last turn, but behind all who have waited longer: leaving and coming back gains nothing.
    const lastTurn = this.#turns - 0.5;
    const people: Line<People> = this.#teams.get(team) ?? { lastTurn, waiting: new Map() };
    const line: Line<Waiting[]> = people.waiting.get(person) ?? { lastTurn, waiting: [] };
    this.#teams.set(team, people);
    people.waiting.set(person, line);
    line.waiting.push(place);
    this.#waiting += 1;
  }

  /** True if it was waiting. */
  #leave(place: Waiting): boolean {
    const places = this.#placesOf(place.owner);
    const at = places.indexOf(place);
    if (at < 0) return false;
    places.splice(at, 1);
    this.#waiting -= 1;
    this.#forgetIdle(place.owner);
    return true;
  }

  #forgetIdle({ team, person }: WorkOwner): void {
    const people = this.#teams.get(team)?.waiting;
    if (people?.get(person)?.waiting.length === 0 && !this.#busy.has(person)) people.delete(person);
    if (people?.size === 0) this.#teams.delete(team);
  }
}

function longestWithout<L extends Line<unknown>>(lines: readonly L[]): L | null {
  return lines.reduce<L | null>(
    (first, line) => (first === null || line.lastTurn < first.lastTurn ? line : first),
    null,
  );
}
