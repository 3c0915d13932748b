import { useCallback, useEffect, useRef, useState } from "react";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { type Download, downloadReport, failureSentence, isTemplateAway, type ReportKind } from "./download-report.ts";

export interface DownloadState {
  /** What is being made; null where nothing is. */
  readonly busy: ReportKind | null;
  /** Bytes that have come. */
  readonly bytes: number;
  /** §8: why the last one failed; null where it did not. */
  readonly failure: string | null;
  /** The name of the file that has just been saved. */
  readonly saved: string | null;
}

const IDLE: DownloadState = { busy: null, bytes: 0, failure: null, saved: null };

interface After {
  readonly onDone: () => void;
  /** The template that was chosen is not offered any more. */
  readonly onTemplateAway: () => void;
}

/** §4 Report download: idle, then generating, then the file is there. Leaving the page gives it up. */
export function useDownload({ onDone, onTemplateAway }: After) {
  const [state, setState] = useState(IDLE);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async (wanted: Omit<Download, "signal" | "onBytes">): Promise<void> => {
    if (current.current !== null) return;
    const attempt = new AbortController();
    current.current = attempt;
    setState({ ...IDLE, busy: wanted.kind });
    try {
      const saved = await downloadReport({
        ...wanted,
        signal: attempt.signal,
        onBytes: (bytes) => setState((was) => ({ ...was, bytes })),
      });
      setState({ ...IDLE, saved });
      onDone();
    } catch (error) {
      const isTold = attempt.signal.aborted || error instanceof TokenExpiredError;
      setState({ ...IDLE, failure: isTold ? null : failureSentence(error) });
      if (isTemplateAway(error)) onTemplateAway();
    } finally {
      current.current = null;
    }
  };
  const cancel = useCallback(() => current.current?.abort(), []);
  const forget = useCallback(() => setState((was) => (was.busy === null ? IDLE : was)), []);
  return { ...state, begin, cancel, forget };
}
