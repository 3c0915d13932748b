import type { ImportResponse } from "@suncrew/contract/http/import.ts";
import { useRef, useState } from "react";
import { ApiError, TokenExpiredError, messageOf } from "../../../platform/api/errors.ts";
import { readCsvFile } from "./csv-file.ts";
import { applyImport, checkImport } from "./import-calls.ts";
import { importProblemCount } from "./import-rows.ts";
import type { ImportKind } from "./import-kinds.ts";

interface Common {
  readonly fileName: string | null;
  /** Why Import is disabled; null where it is not. */
  readonly obstacle: string | null;
  /** Rows that are to be created, or were. */
  readonly count: number;
}

/** Where the import stands: a file is chosen, checked, then imported as a whole. */
export type ImportStep = Common &
  (
    | { readonly at: "chosen" | "checking" | "done" }
    | { readonly at: "failed"; readonly problem: string }
    /** `problem` says why importing this very preview did not come off. */
    | { readonly at: "checked" | "applying"; readonly answer: ImportResponse; readonly problem: string | null }
  );

const START: ImportStep = { at: "chosen", fileName: null, obstacle: "Choose a file first.", count: 0 };

export interface Import {
  readonly step: ImportStep;
  readonly choose: (file: File | null) => void;
  readonly apply: () => void;
  readonly reset: () => void;
}

export function useImport(kind: ImportKind): Import {
  const [step, setStep] = useState<ImportStep>(START);
  /** What was checked is what is imported, whatever becomes of the file on the disk. */
  const csv = useRef("");
  const round = useRef(0);

  const choose = async (file: File) => {
    round.current += 1;
    const mine = round.current;
    const show = (next: ImportStep) => mine === round.current && setStep(next);
    const common = { fileName: file.name, count: 0 };
    show({ at: "checking", ...common, obstacle: "The file is being checked." });
    const reading = await readCsvFile(file);
    if ("problem" in reading) {
      show({ at: "failed", ...common, obstacle: reading.problem, problem: reading.problem });
      return;
    }
    csv.current = reading.text;
    try {
      show(checkedStep(file.name, await checkImport(kind, reading.text), null));
    } catch (error) {
      if (error instanceof TokenExpiredError) return;
      const problem = `The file could not be checked. ${reasonOf(error)}`;
      show({ at: "failed", ...common, obstacle: problem, problem });
    }
  };

  const apply = async () => {
    if (step.at !== "checked" || step.obstacle !== null || step.fileName === null) return;
    const { fileName, answer } = step;
    setStep({ ...step, at: "applying", problem: null });
    try {
      const { rows } = await applyImport(kind, csv.current);
      setStep({ at: "done", fileName, obstacle: null, count: rows.length });
    } catch (error) {
      if (error instanceof TokenExpiredError) return;
      const problem = `Nothing was imported. ${reasonOf(error)}`;
      // Somebody else may have been faster: what stands against it now is shown.
      const fresh = error instanceof ApiError ? await checkImport(kind, csv.current).catch(() => answer) : answer;
      setStep(checkedStep(fileName, fresh, problem));
    }
  };

  return {
    step,
    choose: (file) => {
      if (file !== null) void choose(file);
    },
    apply: () => void apply(),
    reset: () => setStep(START),
  };
}

function checkedStep(fileName: string, answer: ImportResponse, problem: string | null): ImportStep {
  const bad = importProblemCount(answer);
  const isEmpty = answer.rows.length === 0;
  const obstacle =
    answer.problems.length > 0
      ? "The file cannot be imported as it is."
      : isEmpty
        ? "The file has no rows."
        : bad > 0
          ? `Mend ${bad === 1 ? "the row with a problem" : `the ${bad} rows with problems`} first: all rows are imported, or none.`
          : null;
  return { at: "checked", fileName, answer, problem, obstacle, count: obstacle === null ? answer.rows.length : 0 };
}

function reasonOf(error: unknown): string {
  return messageOf(error) ?? "The server gave no reason.";
}
