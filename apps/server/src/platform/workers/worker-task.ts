import type { Readable } from "node:stream";
import type pg from "pg";
import type { FieldError } from "@suncrew/contract/http/error.ts";
import type { ErrorCode } from "@suncrew/contract/http/error-codes.ts";
import { ConcurrentChangeError } from "../database/transactions.ts";
import type { Db } from "../database/database.ts";
import { HttpError } from "../http/http-error.ts";

export interface TaskContext {
  /** A small pool of the worker's own. */
  readonly db: Db;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** The result of a task that makes a file: what is known about it, and its bytes, produced as they are read. */
export interface MadeFile<V> {
  readonly value: V;
  readonly bytes: Readable;
}

/**
 * Heavy work for a separate process, so that it delays nothing that people and robots wait for. Input and output are
 * copied: plain values, dates and buffers.
 */
export interface WorkerTask<A, V> {
  readonly name: string;
  readonly work: (input: A, context: TaskContext) => Promise<{ readonly value: V; readonly bytes: Readable | null }>;
  /** It takes milliseconds, and queues only behind other short tasks. */
  readonly isShort?: boolean;
}

export interface FileTask<A, V> extends WorkerTask<A, V> {
  readonly makesFile: true;
}

export function workerTask<A, V>(
  name: string,
  work: (input: A, context: TaskContext) => Promise<V>,
  { isShort = false } = {},
): WorkerTask<A, V> {
  return { name, isShort, work: async (input, context) => ({ value: await work(input, context), bytes: null }) };
}

export function fileTask<A, V>(
  name: string,
  work: (input: A, context: TaskContext) => Promise<MadeFile<V>>,
): FileTask<A, V> {
  return { name, work, makesFile: true };
}

/** To a worker. `taken` requests more bytes: a file is made as fast as it is read. */
export type ToWorker =
  | {
      readonly kind: "begin";
      readonly id: number;
      readonly task: string;
      readonly input: unknown;
      readonly connection: pg.ClientConfig;
    }
  | { readonly kind: "taken" | "abort"; readonly id: number }
  | { readonly kind: "forget"; readonly id: number; readonly connection: pg.ClientConfig };

/** From a worker. The value comes first, then bytes if `hasBytes`; `done` or `failed` is the last message of each id. */
export type FromWorker =
  | { readonly kind: "value"; readonly id: number; readonly value: unknown; readonly hasBytes: boolean }
  | { readonly kind: "bytes"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: CopiedError };

/** An error as it is sent between processes: structured cloning would lose its class and code. */
export interface CopiedError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly syscall: string | undefined;
  readonly http:
    | {
        readonly status: number;
        readonly code: ErrorCode;
        readonly extra: { readonly errors?: FieldError[] | undefined };
      }
    | undefined;
  readonly isConcurrentChange: boolean;
}

export function copyError(error: unknown): CopiedError {
  const source = error instanceof Error ? error : new Error("not an Error was thrown");
  const text = (name: "code" | "syscall") => {
    const value: unknown = Reflect.get(source, name);
    return typeof value === "string" ? value : undefined;
  };
  return {
    message: source.message,
    stack: source.stack,
    code: text("code"),
    syscall: text("syscall"),
    http: source instanceof HttpError ? { status: source.status, code: source.code, extra: source.extra } : undefined,
    isConcurrentChange: source instanceof ConcurrentChangeError,
  };
}

/** The error as its worker threw it, as far as callers tell errors apart. */
export function errorFromCopy({ message, stack, code, syscall, http, isConcurrentChange }: CopiedError): Error {
  if (http !== undefined) return new HttpError(http.status, http.code, message, http.extra);
  if (isConcurrentChange) return new ConcurrentChangeError();
  return Object.assign(new Error(message), { stack, ...(code && { code }), ...(syscall && { syscall }) });
}
