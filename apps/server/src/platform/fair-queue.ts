/** Whose work it is. A person works on one thing at a time, and teams take turns however much each has asked for. */
export interface WorkOwner {
  readonly person: string;
  readonly team: string;
}

/** A place at work, to be given back. */
export interface QueueSlot {
  /** Lets others work meanwhile; the same person's next piece goes on waiting for the end. */
  yield(): void;
  end(): void;
}

export interface FairQueueOptions {
  /** Pieces of work at a time. */
  readonly atOnce: number;
  /** As many pieces of one person wait at the most, and of all together. */
  readonly waitingPerPerson: number;
  readonly waiting: number;
  /** What whoever would make the queue longer than that is told: a person, or everybody. */
  readonly refusal: (whose: "person" | "all") => Error;
}

interface Waiting {
  readonly asker: WorkOwner;
  readonly begin: () => void;
}

/** Whoever had no turn for longest is next. */
interface Line<T> {
  lastTurn: number;
  readonly waiting: T;
}

type People = Map<string, Line<Waiting[]>>;

/** Lets so much heavy work go on at a time that nothing else waits for it, and shares it out fairly. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  /** By team, then by person: whoever waits or works. */
  readonly #teams = new Map<string, Line<People>>();
  readonly #busy = new Set<string>();
  #turns = 0;
  #waiting = 0;
  #working = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves when it is this asker's turn. Rejects where too much waits already, or once the signal aborts. */
  async enter(asker: WorkOwner, signal: AbortSignal): Promise<QueueSlot> {
    signal.throwIfAborted();
    const { waiting, waitingPerPerson, refusal } = this.#options;
    if (this.#waiting >= waiting) throw refusal("all");
    if (this.#placesOf(asker).length >= waitingPerPerson) throw refusal("person");
    const { promise, resolve, reject } = Promise.withResolvers<QueueSlot>();
    const place: Waiting = { asker, begin: () => resolve(this.#turnOf(asker)) };
    this.#join(place);
    const leave = () => {
      if (this.#leave(place)) reject(signal.reason);
    };
    signal.addEventListener("abort", leave);
    this.#next();
    return promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Does the work when it is this asker's turn; answers what it answers. */
  async run<T>(asker: WorkOwner, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = await this.enter(asker, signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  #turnOf(asker: WorkOwner): QueueSlot {
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
        this.#busy.delete(asker.person);
        this.#forgetIdle(asker);
        this.#next();
      },
    };
  }

  #next(): void {
    while (this.#working < this.#options.atOnce) {
      const next = this.#first();
      if (next === null) return;
      this.#working += 1;
      this.#busy.add(next.asker.person);
      this.#leave(next);
      next.begin();
    }
  }

  /** The next one that may begin; its team and its person have had their turn with it. */
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
    const { team, person } = place.asker;
    // Before whoever had the last turn, and behind all who wait for longer: to come again is no way to the front.
    const lastTurn = this.#turns - 0.5;
    const people: Line<People> = this.#teams.get(team) ?? { lastTurn, waiting: new Map() };
    const line: Line<Waiting[]> = people.waiting.get(person) ?? { lastTurn, waiting: [] };
    this.#teams.set(team, people);
    people.waiting.set(person, line);
    line.waiting.push(place);
    this.#waiting += 1;
  }

  /** True where it was waiting. */
  #leave(place: Waiting): boolean {
    const places = this.#placesOf(place.asker);
    const at = places.indexOf(place);
    if (at < 0) return false;
    places.splice(at, 1);
    this.#waiting -= 1;
    this.#forgetIdle(place.asker);
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
