import { Alert, Box, Button, Checkbox, FileButton, Group } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import type { ImportResponse } from "@suncrew/contract/http/import.ts";
import { IconAlertTriangle, IconCircleCheck, IconDownload, IconFileSpreadsheet } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";
import { ApiError, messageOf, TokenExpiredError } from "../../platform/api/errors.ts";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { saveFile } from "../../platform/save-file.ts";
import { Dialog, DialogFooter } from "../../ui/dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { dayText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useVirtualRows } from "../../ui/virtual-rows.ts";
import { applyImport, checkImport, countedText, importKinds, type ImportTarget } from "./import-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./import-dialog.module.css";
import {
  importColumns,
  importProblemCount,
  importSummary,
  problemSentences,
  readCsvFile,
  templateOf,
} from "./import-file.ts";

interface ImportDialogProps {
  readonly target: ImportTarget;
  readonly onClose: () => void;
}

/** Import of a file: a preview that names every bad row and why, then all rows or none. */
export function ImportDialog({ target, onClose }: ImportDialogProps) {
  const { kind } = target;
  const { title, templateName, result } = importKinds[kind];
  const { step, choose, apply, reset } = useImport(target);
  const close = useGuardedClose({ isChanged: step.at === "applying" }, onClose);

  return (
    <Dialog onClose={close} title={title} size={760} fullScreenBelow="48em">
      {step.at === "done" ? (
        <>
          <Alert color="accent" icon={<IconCircleCheck size={18} />} title="Imported" role="status">
            {countedText(kind, step.count)} {result} from {step.fileName}.
          </Alert>
          <DialogFooter isEqual>
            <Button variant="default" onClick={reset}>
              Import another file
            </Button>
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </DialogFooter>
        </>
      ) : (
        <>
          <Group gap="8px 12px">
            <FileButton
              accept=".csv,text/csv,text/plain"
              onChange={choose}
              key={step.at === "chosen" ? "again" : "first"}
            >
              {(button) => (
                <Button
                  {...button}
                  variant="default"
                  leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
                  disabled={step.at === "checking" || step.at === "applying"}
                  data-autofocus
                >
                  {step.fileName === null ? "Choose CSV file" : "Choose another file"}
                </Button>
              )}
            </FileButton>
            <Box component="span" flex="1 1 120px" miw={0} fz={13} c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {step.fileName ?? "No file chosen"}
            </Box>
            <Button
              variant="subtle"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveFile(new Blob([templateOf(kind)], { type: "text/csv" }), templateName)}
            >
              Download template
            </Button>
          </Group>
          {step.at === "chosen" && <Columns target={target} />}
          {step.at === "checking" && <SkeletonLines label="Checking the file" lines={6} lineHeightPx={32} />}
          {(step.at === "failed" || step.at === "checked") && step.problem !== null && (
            <Alert color="red" role="alert" title="The file was not imported" mt="sm">
              {step.problem}
            </Alert>
          )}
          {(step.at === "checked" || step.at === "applying") && <ImportPreview kind={kind} answer={step.answer} />}
          <DialogFooter isEqual>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <DisabledReason reason={step.blockedReason}>
              <Button loading={step.at === "applying"} onClick={apply}>
                {step.count > 0 ? `Import ${countedText(kind, step.count)}` : "Import"}
              </Button>
            </DisabledReason>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
}

function Columns({ target }: { readonly target: ImportTarget }) {
  return (
    <div className={`${shared["box"]} ${classes["columns"]}`}>
      <p>
        A CSV file with these column names in its first line, in any order, and days as YYYY-MM-DD. Every row is checked
        first; nothing is stored until you press Import.
      </p>
      {target.kind === "measurements" && (
        <p>
          For {target.siteName}: <strong>start</strong> is a day, or the beginning of an hour as YYYY-MM-DD HH:MM by the
          site&rsquo;s clock; the other columns may be left out. Energy is in kWh, of the whole site; a soiling ratio of
          1 is clean; curtailed is yes or no. A second value of the same time replaces the first.
        </p>
      )}
      <ul className={shared["chips"]}>
        {importColumns[target.kind].map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </div>
  );
}

const ROW_PX = 34;

/** The server's findings for each row; of thousands only the visible ones are rendered. */
export function ImportPreview({
  kind,
  answer,
}: {
  readonly kind: ImportTarget["kind"];
  readonly answer: ImportResponse;
}) {
  const bad = importProblemCount(answer);
  const [isFiltered, setFiltered] = useState(false);
  const summaryId = useId();
  const rows = isFiltered && bad > 0 ? answer.rows.filter(({ problems }) => problems.length > 0) : answer.rows;
  const {
    scroll,
    rows: shown,
    totalPx,
    measureElement,
  } = useVirtualRows({
    count: rows.length,
    rowPx: ROW_PX,
    measured: true,
    keyAt: (index) => rows[index]?.row ?? index,
    initialHeightPx: 360,
  });

  return (
    <>
      {answer.problems.length > 0 && (
        <Alert color="red" role="alert" title="The file cannot be imported as it is" mt="sm">
          <Box component="ul" pl={16} style={{ listStyle: "disc" }}>
            {answer.problems.map(({ field, message }) => (
              <li key={`${field} ${message}`}>{message}</li>
            ))}
          </Box>
        </Alert>
      )}
      {answer.rows.length > 0 && (
        <>
          <div className={classes["summary"]}>
            <p id={summaryId} role="status" data-bad={bad > 0 || undefined}>
              {bad > 0 ? <IconAlertTriangle size={16} aria-hidden /> : <IconCircleCheck size={16} aria-hidden />}
              {importSummary(answer)}
            </p>
            <Checkbox
              label="Only problems"
              disabled={bad === 0}
              checked={isFiltered && bad > 0}
              onChange={(event) => setFiltered(event.currentTarget.checked)}
            />
          </div>
          <div
            className={`${shared["box"]} ${classes["table"]}`}
            role="table"
            aria-labelledby={summaryId}
            aria-rowcount={rows.length + 1}
          >
            <div className={`${shared["columnNames"]} ${classes["names"]}`} role="row" aria-rowindex={1}>
              <span role="columnheader">Row</span>
              <span role="columnheader">{importKinds[kind].rowName}</span>
              <span role="columnheader">{importKinds[kind].rowDay}</span>
              <span role="columnheader">Result</span>
            </div>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the keyboard */}
            <div ref={scroll} className={`${shared["inset"]} ${classes["rows"]}`} role="rowgroup" tabIndex={0}>
              <div role="presentation" style={{ position: "relative", height: totalPx }}>
                {shown.map((item) => {
                  const row = rows[item.index];
                  if (row === undefined) return null;
                  return (
                    <div
                      key={row.row}
                      ref={measureElement}
                      data-index={item.index}
                      className={classes["row"]}
                      role="row"
                      aria-rowindex={item.index + 2}
                      data-bad={row.problems.length > 0 || undefined}
                      style={{ transform: `translateY(${item.start}px)` }}
                    >
                      <span role="cell">{row.row}</span>
                      <span role="cell">{row.name === "" ? "–" : row.name}</span>
                      <span role="cell">{row.day === null ? "–" : dayText(row.day)}</span>
                      <span role="cell">
                        {row.problems.length === 0
                          ? kind === "measurements"
                            ? "Can be stored"
                            : `New ${importKinds[kind].one}`
                          : problemSentences(row).map((sentence) => <span key={sentence}>{sentence}</span>)}
                      </span>
                    </div>
                  );
                })}
              </div>
            </div>
          </div>
        </>
      )}
    </>
  );
}

interface Common {
  readonly fileName: string | null;
  /** Why Import is disabled; null if it is not. */
  readonly blockedReason: string | null;
  /** Rows that are to be created, or were. */
  readonly count: number;
}

/** The state of the import: a file is chosen, checked, then imported as a whole. */
export type ImportStep = Common &
  (
    | { readonly at: "chosen" | "checking" | "done" }
    | { readonly at: "failed"; readonly problem: string }
    /** `problem` says why importing this very preview failed. */
    | { readonly at: "checked" | "applying"; readonly answer: ImportResponse; readonly problem: string | null }
  );

const START: ImportStep = { at: "chosen", fileName: null, blockedReason: "Choose a file first.", count: 0 };

export interface Import {
  readonly step: ImportStep;
  readonly choose: (file: File | null) => void;
  readonly apply: () => void;
  readonly reset: () => void;
}

export function useImport(target: ImportTarget): Import {
  const [step, setStep] = useState<ImportStep>(START);
  /** What was checked is what is imported, whatever happens to the file on disk. */
  const csv = useRef("");
  const round = useRef(0);

  const choose = async (file: File) => {
    round.current += 1;
    const mine = round.current;
    const show = (next: ImportStep) => mine === round.current && setStep(next);
    const common = { fileName: file.name, count: 0 };
    show({ at: "checking", ...common, blockedReason: "The file is being checked." });
    const reading = await readCsvFile(file);
    if ("problem" in reading) {
      show({ at: "failed", ...common, blockedReason: reading.problem, problem: reading.problem });
      return;
    }
    csv.current = reading.text;
    try {
      show(checkedStep(file.name, await checkImport(target, reading.text), null));
    } catch (error) {
      if (error instanceof TokenExpiredError) return;
      const problem = `The file could not be checked. ${reasonOf(error)}`;
      show({ at: "failed", ...common, blockedReason: problem, problem });
    }
  };

  const apply = async () => {
    if (step.at !== "checked" || step.blockedReason !== null || step.fileName === null) return;
    const { fileName, answer } = step;
    setStep({ ...step, at: "applying", problem: null });
    try {
      const { rows } = await applyImport(target, csv.current);
      setStep({ at: "done", fileName, blockedReason: null, count: rows.length });
    } catch (error) {
      if (error instanceof TokenExpiredError) return;
      const problem = `Nothing was imported. ${reasonOf(error)}`;
      // Somebody else may have been faster: what prevents it now is shown.
      const fresh = error instanceof ApiError ? await checkImport(target, csv.current).catch(() => answer) : answer;
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
  const blockedReason =
    answer.problems.length > 0
      ? "The file cannot be imported as it is."
      : isEmpty
        ? "The file has no rows."
        : bad > 0
          ? `Fix ${bad === 1 ? "the row with a problem" : `the ${bad} rows with problems`} first: all rows are imported, or none.`
          : null;
  return {
    at: "checked",
    fileName,
    answer,
    problem,
    blockedReason,
    count: blockedReason === null ? answer.rows.length : 0,
  };
}

function reasonOf(error: unknown): string {
  return messageOf(error) ?? "The server gave no reason.";
}
