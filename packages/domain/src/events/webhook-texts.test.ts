import { commandVerbs } from "@suncrew/contract/devices/messages.ts";
import { commandOutcomeSchema } from "@suncrew/contract/events/event-types.ts";
import { expect, test } from "vitest";
import { settledText } from "./webhook-texts.ts";

test("an event says in a sentence what became of each command", () => {
  for (const verb of commandVerbs) {
    for (const outcome of commandOutcomeSchema.options) {
      expect(settledText(verb, outcome, "SCR-1001", "BATTERY_LOW")).toMatch(/^.*SCR-1001.*\.$/);
    }
  }
  expect(settledText("START", "REJECTED", "SCR-1001", "BATTERY_LOW")).toBe(
    "Robot SCR-1001 refused: its battery is too low.",
  );
  expect(settledText("STOP", "CONFIRMED", "SCR-1001", null)).toBe("Robot SCR-1001 showed that it has stopped.");
});
