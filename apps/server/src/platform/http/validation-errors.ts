import type { FieldError } from "@suncrew/contract/http/error.ts";
import { z } from "zod";

/** What a zod issue carries beside its path, as the validator hands it on. */
const issueSchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  expected: z.string().optional(),
  format: z.string().optional(),
  origin: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  values: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  keys: z.array(z.string()).optional(),
  errors: z.array(z.array(z.unknown())).optional(),
});
type Issue = z.output<typeof issueSchema>;

interface ValidationEntry {
  readonly keyword?: string;
  readonly instancePath?: string;
  readonly message?: string;
  readonly params?: Record<string, unknown>;
}

/** The validator's findings as one plain sentence for each field. `place` names the whole where no field is named. */
export function fieldErrorsOf(entries: readonly ValidationEntry[], place: string): FieldError[] {
  return entries.map((entry) => {
    const field = (entry.instancePath ?? "").slice(1).replaceAll("/", ".") || place;
    const parsed = issueSchema.safeParse({ ...entry.params, code: entry.keyword, message: entry.message });
    return { field, message: sentence(field, parsed.success ? wordsOf(parsed.data) : "is not valid") };
  });
}

/** What a schema finds wrong with values that no route parsed, such as a file's row: the words without the field. */
export function fieldProblemsOf({ issues }: z.ZodError): FieldError[] {
  return issues.map(({ path, ...issue }) => {
    const parsed = issueSchema.safeParse(issue);
    return { field: path.join("."), message: parsed.success ? wordsOf(parsed.data) : "is not valid" };
  });
}

/** The schemas' own messages stand alone where they begin with a capital. */
export function sentence(field: string, words: string): string {
  return /^\p{Lu}/u.test(words) ? words : `${field} ${words}`;
}

const isOwnWords = (message: string) => !/^(Invalid|Too |Unrecognized|Number must)/.test(message);
const isMissing = (issue: Issue) => issue.message.endsWith("received undefined");

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const formatWords: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a date like 2026-01-31",
  datetime: "a time like 2026-01-31T09:30:00Z",
  email: "an e-mail address",
};

function wordsOf(issue: Issue): string {
  if (isMissing(issue)) return "is required";
  if (isOwnWords(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeWords[issue.expected ?? ""] ?? issue.expected ?? "another value"}`;
    case "invalid_value":
      return `must be ${issue.values?.length === 1 ? "" : "one of "}${(issue.values ?? []).join(", ")}`;
    case "invalid_format":
      return `must be ${formatWords[issue.format ?? ""] ?? "in another form"}`;
    case "too_small":
      return issue.minimum === undefined
        ? "is too small"
        : `must ${lengthWords(issue)} at least ${issue.minimum}${unitOf(issue)}`;
    case "too_big":
      return issue.maximum === undefined
        ? "is too large"
        : `must ${lengthWords(issue)} at most ${issue.maximum}${unitOf(issue)}`;
    case "unrecognized_keys":
      return `has unknown parts: ${(issue.keys ?? []).join(", ")}`;
    case "invalid_union":
      return unionWords(issue);
    default:
      return "is not valid";
  }
}

const lengthWords = (issue: Issue) => (issue.origin === "string" || issue.origin === "array" ? "have" : "be");

function unitOf(issue: Issue): string {
  if (issue.origin === "string") return " characters";
  return issue.origin === "array" ? " entries" : "";
}

/** A value that may have several forms: the form that came nearest tells what is wrong with it. */
function unionWords(issue: Issue): string {
  const forms = (issue.errors ?? [])
    .map((form) => issueSchema.safeParse(form[0]))
    .flatMap((form) => (form.success ? [form.data] : []));
  if (forms.length > 0 && forms.every(isMissing)) return "is required";
  const near = forms.find((form) => form.code !== "invalid_type");
  if (near) return wordsOf(near);
  const types = forms.map((form) => typeWords[form.expected ?? ""] ?? form.expected ?? "another value");
  return types.length > 0 ? `must be ${types.join(" or ")}` : "is not valid";
}
