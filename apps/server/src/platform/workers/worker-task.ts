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
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** What a task that makes a file comes to: what is known of it, and its bytes as they are read. */
export interface MadeFile<V> {
  readonly value: V;
  readonly bytes: Readable;
}

/**
 * Heavy work that a process of its own does, so that what people and robots wait for goes on beside it. What goes in and comes out is
 * copied: plain values, dates and buffers.
 */
export interface WorkerTask<A, V> {
  readonly name: string;
  readonly work: (given: A, context: TaskContext) => Promise<{ readonly value: V; readonly bytes: Readable | null }>;
  /** It takes milliseconds and waits behind its like alone. */
  readonly isShort?: boolean;
}

/** The same where it makes a file. */
export interface FileTask<A, V> extends WorkerTask<A, V> {
  readonly makesFile: true;
}

export function workerTask<A, V>(
  name: string,
  work: (given: A, context: TaskContext) => Promise<V>,
  { isShort = false } = {},
): WorkerTask<A, V> {
  return { name, isShort, work: async (given, context) => ({ value: await work(given, context), bytes: null }) };
}

export function fileTask<A, V>(
  name: string,
  work: (given: A, context: TaskContext) => Promise<MadeFile<V>>,
): FileTask<A, V> {
  return { name, work, makesFile: true };
}

/** To a worker. `taken` asks for more bytes: a file is made as fast as it is read. */
export type ToWorker =
  | {
      readonly kind: "begin";
      readonly id: number;
      readonly task: string;
      readonly given: unknown;
      readonly connection: pg.ClientConfig;
    }
  | { readonly kind: "taken" | "abort"; readonly id: number }
  | { readonly kind: "forget"; readonly id: number; readonly connection: pg.ClientConfig };

/** From a worker. A value comes first, then bytes where `hasBytes`; `done` or `failed` is the last of each id. */
export type FromWorker =
  | { readonly kind: "value"; readonly id: number; readonly value: unknown; readonly hasBytes: boolean }
  | { readonly kind: "bytes"; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly error: CopiedError };

/** An error as it passes between processes, which copy no more of one than its words. */
export interface CopiedError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly syscall: string | undefined;
  /** Of an HttpError. */
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
  const whole = error instanceof Error ? error : new Error("not an Error was thrown");
  const text = (name: "code" | "syscall") => {
    const value: unknown = Reflect.get(whole, name);
    return typeof value === "string" ? value : undefined;
  };
  return {
    message: whole.message,
    stack: whole.stack,
    code: text("code"),
    syscall: text("syscall"),
    http: whole instanceof HttpError ? { status: whole.status, code: whole.code, extra: whole.extra } : undefined,
    isConcurrentChange: whole instanceof ConcurrentChangeError,
  };
}

/** The error as its worker threw it, as far as anybody asks. */
export function errorFromCopy({ message, stack, code, syscall, http, isConcurrentChange }: CopiedError): Error {
  if (http !== undefined) return new HttpError(http.status, http.code, message, http.extra);
  if (isConcurrentChange) return new ConcurrentChangeError();
  return Object.assign(new Error(message), { stack, ...(code && { code }), ...(syscall && { syscall }) });
}
