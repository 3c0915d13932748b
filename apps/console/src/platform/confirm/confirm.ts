/** The confirmation before something that cannot easily be undone. */
export interface Question {
  readonly title: string;
  /** What will happen, to how many robots or to what. */
  readonly message: string;
  /** The action's label, such as "Start 4 robots". */
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  /** Makes the action's button red. */
  readonly destructive?: boolean;
}

export interface OpenQuestion extends Question {
  readonly answer: (confirmed: boolean) => void;
}

const listeners = new Set<() => void>();
let open: OpenQuestion | null = null;

/** Asks in a dialog; true if the person confirms. A question already open is answered with no. */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false);
  return new Promise((resolve) => {
    const mine: OpenQuestion = {
      ...question,
      answer: (confirmed) => {
        if (open === mine) setOpen(null);
        resolve(confirmed);
      },
    };
    setOpen(mine);
  });
}

export function openQuestion(): OpenQuestion | null {
  return open;
}

export function onQuestionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setOpen(question: OpenQuestion | null): void {
  open = question;
  for (const listener of listeners) listener();
}
