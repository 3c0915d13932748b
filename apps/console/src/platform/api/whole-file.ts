import { IncompleteFileError } from "./errors.ts";

interface Reading {
  /** Gives the reading up. */
  readonly signal?: AbortSignal;
  /** Told how many bytes have come so far. */
  readonly onBytes?: (bytes: number) => void;
}

/** The file of an answer, once all of it has come. Throws CutFileError where its end does not come. */
export async function readFile(answer: Response, { signal, onBytes }: Reading = {}): Promise<Blob> {
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = answer.body?.getReader();
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      parts.push(read.value);
      bytes += read.value.length;
      onBytes?.(bytes);
    }
  } catch (error) {
    throw signal?.aborted === true ? error : new IncompleteFileError(error);
  }
  return new Blob(parts, { type: answer.headers.get("content-type") ?? "" });
}
