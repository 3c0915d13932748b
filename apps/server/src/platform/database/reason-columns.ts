import type { CodedText } from "@suncrew/contract/http/coded-text.ts";

/** Why something ended, waits or was not done, as it is stored in a row. */
export function reasonColumns(reason: CodedText | null) {
  return {
    reason: reason?.text ?? null,
    reason_code: reason?.code ?? null,
    reason_params: reason?.params ?? null,
  };
}
