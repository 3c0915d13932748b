import { useCallback, useEffect, useRef, useState } from "react";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { type Download, downloadReport, failureSentence, type ReportKind } from "./download-report.ts";

export interface DownloadState {
  /** What is being made; null where nothing is. */
  readonly busy: ReportKind | null;
  /** Bytes that have come. */
  readonly bytes: number;
  /** §8: why the last one failed; null where it did not. */
  readonly failure: string | null;
}

const IDLE: DownloadState = { busy: null, bytes: 0, failure: null };

/** §4 Report download: idle, then generating, then the file is there. Leaving the page gives it up. */
export function useDownload(onDone: () => void) {
  const [state, setState] = useState(IDLE);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async (wanted: Omit<Download, "signal" | "onBytes">): Promise<void> => {
    if (current.current !== null) return;
    const attempt = new AbortController();
    current.current = attempt;
    setState({ busy: wanted.kind, bytes: 0, failure: null });
    try {
      await downloadReport({
        ...wanted,
        signal: attempt.signal,
        onBytes: (bytes) => setState((was) => ({ ...was, bytes })),
      });
      setState(IDLE);
      onDone();
    } catch (error) {
      const isTold = attempt.signal.aborted || error instanceof TokenExpiredError;
      setState({ ...IDLE, failure: isTold ? null : failureSentence(error) });
    } finally {
      current.current = null;
    }
  };
  const cancel = useCallback(() => current.current?.abort(), []);
  const forget = useCallback(() => setState((was) => (was.failure === null ? was : { ...was, failure: null })), []);
  return { ...state, begin, cancel, forget };
}
