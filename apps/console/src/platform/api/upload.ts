import type { ResponseOf, RouteSpec, SentQueryOf } from "@suncrew/contract/http/route.ts";
import { tokenToSend } from "../session/session.ts";
import { failureOf, REQUEST_TIMEOUT_MS, urlOf } from "./call.ts";
import { AnswerError, NetworkError, TokenExpiredError } from "./errors.ts";

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** From 0 to 100. */
  readonly onPercent: (percent: number) => void;
}

/**
 * Sends a file as the body of a call and reports progress, which `fetch` cannot. It is aborted when nothing has
 * moved for as long as any other request may take (§9), however long the upload takes in total. Throws like `call`, and
 * an AbortError if it was aborted.
 */
export function upload<R extends RouteSpec>(
  route: R,
  query: SentQueryOf<R>,
  file: Blob,
  { signal, onPercent }: UploadOptions,
): Promise<ResponseOf<R>> {
  const token = tokenToSend();
  if (token === null) throw new TokenExpiredError();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reject(new NetworkError(true));
        request.abort();
      }, REQUEST_TIMEOUT_MS);
    };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      moved();
      if (total > 0) onPercent((100 * loaded) / total);
    });
    request.upload.addEventListener("load", moved);
    request.addEventListener("loadend", () => clearTimeout(timer));
    request.addEventListener("error", () => reject(new NetworkError(false)));
    request.addEventListener("abort", () => reject(new DOMException("The upload was cancelled.", "AbortError")));
    request.addEventListener("load", () => {
      const answer = parsed(request.responseText);
      if (request.status < 200 || request.status > 299) {
        reject(failureOf(route, request.status, answer, token));
        return;
      }
      const taken = route.response.safeParse(answer);
      if (taken.success) resolve(taken.data as ResponseOf<R>);
      else reject(new AnswerError(route.path, taken.error));
    });
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.open(route.method, urlOf(route.path, undefined, query));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    moved();
    request.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
