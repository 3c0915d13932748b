import { Alert, Checkbox } from "@mantine/core";
import type { ImportResponse } from "@suncrew/contract/http/import.ts";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useId, useRef, useState } from "react";
import { dayText } from "../../../ui/site-time-text.ts";
import classes from "./import-dialog.module.css";
import { importKinds } from "./import-kinds.ts";
import type { ImportKind } from "./import-kinds.ts";
import { importProblemCount, importSummary, problemSentences } from "./import-rows.ts";

const ROW_PX = 34;

export interface ImportPreviewProps {
  readonly kind: ImportKind;
  readonly answer: ImportResponse;
}

/** What the server made of each row; of thousands only those in sight exist. */
export function ImportPreview({ kind, answer }: ImportPreviewProps) {
  const bad = importProblemCount(answer);
  const [isFiltered, setFiltered] = useState(false);
  const summaryId = useId();
  const rows = isFiltered && bad > 0 ? answer.rows.filter(({ problems }) => problems.length > 0) : answer.rows;
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    initialRect: { width: 600, height: 360 },
    getItemKey: (index) => rows[index]?.row ?? index,
  });

  return (
    <>
      {answer.problems.length > 0 && (
        <Alert color="red" role="alert" title="The file cannot be imported as it is" mt="sm">
          <ul className={classes["problems"]}>
            {answer.problems.map(({ field, message }) => (
              <li key={`${field} ${message}`}>{message}</li>
            ))}
          </ul>
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
          <div className={classes["table"]} role="table" aria-labelledby={summaryId} aria-rowcount={rows.length + 1}>
            <div className={classes["names"]} role="row" aria-rowindex={1}>
              <span role="columnheader">Row</span>
              <span role="columnheader">{kind === "sites" ? "Site name" : "Serial number"}</span>
              <span role="columnheader">{kind === "sites" ? "Commissioned" : "Installed"}</span>
              <span role="columnheader">Result</span>
            </div>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by the keyboard */}
            <div ref={scroll} className={classes["rows"]} role="rowgroup" tabIndex={0}>
              <div role="presentation" style={{ position: "relative", height: virtualizer.getTotalSize() }}>
                {virtualizer.getVirtualItems().map((item) => {
                  const row = rows[item.index];
                  if (row === undefined) return null;
                  return (
                    <div
                      key={item.key}
                      ref={virtualizer.measureElement}
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
                          ? `New ${importKinds[kind].one}`
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
