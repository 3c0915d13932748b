import type { ImportResponse, ImportRow } from "@suncrew/contract/http/import.ts";

/** Rows that cannot be imported. */
export function importProblemCount({ rows }: Pick<ImportResponse, "rows">): number {
  return rows.filter(({ problems }) => problems.length > 0).length;
}

/** As in "12 rows, 3 with problems". */
export function importSummary(answer: Pick<ImportResponse, "rows">): string {
  const count = answer.rows.length;
  const bad = importProblemCount(answer);
  return `${count} ${count === 1 ? "row" : "rows"}, ${bad === 0 ? "none" : bad} with problems`;
}

/** A row's problems, each with the column that it is about where its words do not name it. */
export function problemSentences({ problems }: ImportRow): readonly string[] {
  return problems.map(({ field, message }) => {
    const isNamed = field === "" || field === "row" || message.toLowerCase().includes(field.replaceAll("_", " "));
    return isNamed ? message : `${field}: ${message}`;
  });
}
