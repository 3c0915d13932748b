import { describe, expect, test } from "vitest";
import {
  bodyOf,
  fieldSwitched,
  moved,
  newDraft,
  recipientsOf,
  sectionsText,
  switched,
  templateProblems,
  templateRules,
} from "./report-drafts.ts";

describe("§3 Report template: the form", () => {
  test("a new one has all five sections with all their fields", () => {
    const { sections } = bodyOf({ ...newDraft, name: " Weekly " });
    expect(sections.map(({ type, enabled, order }) => [type, enabled, order])).toEqual([
      ["performance", true, 1],
      ["activities", true, 2],
      ["robot_health", true, 3],
      ["maintenance", true, 4],
      ["alerts", true, 5],
    ]);
    expect(sections.every(({ fields }) => fields.every(({ enabled }) => enabled))).toBe(true);
    expect(bodyOf({ ...newDraft, name: " Weekly " }).name).toBe("Weekly");
  });

  test("sections move up and down within the list, and are toggled with their fields", () => {
    const order = (sections: typeof newDraft.sections) => sections.map(({ type }) => type);
    expect(order(moved(newDraft.sections, "alerts", -1)).slice(3)).toEqual(["alerts", "maintenance"]);
    expect(order(moved(newDraft.sections, "performance", -1))[0]).toBe("performance");
    expect(order(moved(newDraft.sections, "alerts", 1))[4]).toBe("alerts");
    const less = fieldSwitched(switched(newDraft.sections, "activities", false), "performance", "efficiency", false);
    expect(sectionsText(less)).toBe(
      "Robot Performance (4), Robot Health Status (4), Maintenance History (4), Alerts Summary (3)",
    );
    expect(templateRules.isSame({ ...newDraft, sections: less }, newDraft, "sections")).toBe(false);
  });

  test("invisible characters are reported at their field; a description may have several lines", () => {
    const named = { ...newDraft, name: "Weekly", description: "Each week\n\tby site" };
    expect(templateProblems(named, [])).toEqual({});
    expect(templateProblems({ ...named, name: "Wee\u200Bkly", description: "Each\u202E week" }, [])).toEqual({
      name: "Name must not have a character that cannot be seen (U+200B)",
      description: "Description must not have a character that cannot be seen (U+202E)",
    });
  });

  test("each error is reported where it belongs", () => {
    expect(templateProblems(newDraft, [])).toEqual({ name: "Name is required" });
    expect(templateProblems({ ...newDraft, name: "weekly " }, [{ name: "Weekly" }])).toEqual({
      name: "A report template with this name already exists. Please choose a different name.",
    });
    const none = { ...newDraft, name: "A", sections: newDraft.sections.map((one) => ({ ...one, enabled: false })) };
    expect(templateProblems({ ...none, description: "x".repeat(501) }, [])).toEqual({
      description: "Description must have at most 500 characters",
      sections: "At least one section must be enabled.",
    });
  });
});

test("report settings: recipients are entered one per line or separated by commas, duplicates are removed", () => {
  expect(recipientsOf("a@x.example, b@x.example\na@x.example\n\n")).toEqual({
    recipients: ["a@x.example", "b@x.example"],
    wrong: null,
  });
  expect(recipientsOf("").recipients).toEqual([]);
  expect(recipientsOf("a@x.example nobody").wrong).toBe("nobody is not an email address");
  const many = Array.from({ length: 51 }, (_, index) => `n${index}@x.example`).join(",");
  expect(recipientsOf(many).wrong).toBe("There can be at most 50 recipients");
});
