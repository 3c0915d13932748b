import "./renders.ts";
import { afterEach, beforeEach } from "vitest";
import { page } from "vitest/browser";
import { answeringFetch } from "./answers.ts";
import { giveDefaultAnswers } from "./default-answers.ts";
import { forgetEndedToasts, recordToasts } from "./expectations.ts";
import { closeConsole } from "./open-console.tsx";
import { takeProblems, watchProblems } from "./problems.ts";
import { holdRefetches } from "./refetches.ts";
import { catchSavedFiles, forgetSavedFiles } from "./saved-files.ts";

const realFetch = globalThis.fetch.bind(globalThis);

holdRefetches();
giveDefaultAnswers();
watchProblems();
catchSavedFiles();
recordToasts();
document.documentElement.lang = "en";

beforeEach(async () => {
  globalThis.fetch = answeringFetch(realFetch);
  await page.viewport(1280, 800);
});

afterEach(async () => {
  await closeConsole();
  forgetSavedFiles();
  forgetEndedToasts();
  globalThis.fetch = realFetch;
  const problems = takeProblems();
  if (problems.length > 0) throw new Error(`What the console did and must not:\n${problems.join("\n")}`);
});
