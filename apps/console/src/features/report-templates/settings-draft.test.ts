import { expect, test } from "vitest";
import { recipientsOf } from "./settings-draft.ts";

test("report settings: recipients are typed a line each or with commas, each once", () => {
  expect(recipientsOf("a@x.example, b@x.example\na@x.example\n\n")).toEqual({
    recipients: ["a@x.example", "b@x.example"],
    wrong: null,
  });
  expect(recipientsOf("").recipients).toEqual([]);
  expect(recipientsOf("a@x.example nobody").wrong).toBe("nobody is not an e-mail address");
  const many = Array.from({ length: 51 }, (_, index) => `n${index}@x.example`).join(",");
  expect(recipientsOf(many).wrong).toBe("There can be at most 50 recipients");
});
