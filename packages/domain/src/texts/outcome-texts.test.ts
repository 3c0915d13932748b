import { describe, expect, test } from "vitest";
import { nested } from "@suncrew/contract/http/coded-text.ts";
import { bareOutcomeSentence, outcomeSentence, outcomeText, withoutAdvice, withoutPerson } from "./outcome-texts.ts";

const serial = "OWN-1";

describe("decisions, Cleaning runs: a planned run has no advice to press a button again", () => {
  test.each([
    [
      outcomeText("START_NOT_SENT", { serial }),
      "The start was not sent to Robot OWN-1 in time. Please try again.",
      "The start was not sent to Robot OWN-1 in time.",
    ],
    [
      outcomeText("ROBOT_REFUSED", { serial, code: "OLD_SESSION" }),
      "Robot OWN-1 refused: it has reconnected in the meantime; try again.",
      "Robot OWN-1 refused: it has reconnected in the meantime.",
    ],
    [
      outcomeText("ROBOT_SILENT", { serial }),
      "Robot OWN-1 has not reported for 45 seconds. Refresh its status, then try again.",
      "Robot OWN-1 has not reported for 45 seconds.",
    ],
    [
      outcomeText("ROBOT_AWAY", { serial }),
      "Robot OWN-1 is offline: it has no connection at the moment.",
      "Robot OWN-1 is offline: it has no connection at the moment.",
    ],
  ])("%o", (text, sentence, bare) => {
    expect([text.text, withoutAdvice(text).text]).toEqual([sentence, bare]);
    expect([outcomeSentence(text), bareOutcomeSentence(text)]).toEqual([sentence, bare]);
  });
});

describe("a text is rebuilt from what is stored of it", () => {
  test("also if it is part of another one", () => {
    const reason = nested(outcomeText("ROBOT_REFUSED", { serial, code: null }));
    const stored: unknown = JSON.parse(JSON.stringify(outcomeText("RELEASED_NOT_STARTED", { reason }).params));
    expect(stored).toEqual({ reason: { code: "ROBOT_REFUSED", params: { serial, code: null } } });
    expect(outcomeSentence({ code: "RELEASED_NOT_STARTED", params: { reason } })).toBe(
      "Released, but not started: Robot OWN-1 refused: it gave no reason.",
    );
  });

  test("an unknown reject code is shown as received", () => {
    expect(outcomeText("ROBOT_REFUSED", { serial, code: "TOO_HOT" }).text).toBe("Robot OWN-1 refused: code TOO_HOT.");
  });

  test("a code of another version has no sentence", () => {
    expect(outcomeSentence({ code: "OF_TOMORROW", params: {} })).toBe("");
    expect(outcomeSentence({ code: "toString", params: {} })).toBe("");
  });

  test("whoever is not to know the person is told the rest", () => {
    const name = "Asha Rathore";
    const byPerson = [
      outcomeText("ROBOT_DELETED", { name }),
      outcomeText("RUN_AFTER_STOP", { name }),
      outcomeText("RUN_AFTER_MAINTENANCE_ON", { name }),
      outcomeText("RUN_AFTER_MAINTENANCE_OFF", { name }),
      outcomeText("RUN_SWITCHED_OFF", { name }),
      outcomeText("RUN_SCHEDULE_CHANGED", { name }),
      outcomeText("RUN_TIMEZONE_CHANGED", { name }),
      outcomeText("RUN_STOPPED", { name }),
      outcomeText("RUN_MAINTENANCE", { name }),
    ];
    expect(byPerson.map((text) => withoutPerson(text))).toEqual([
      "The robot was deleted.",
      "Stopped after this run was due.",
      "Locked for maintenance after this run was due.",
      "Released from maintenance after this run was due.",
      "Switched off before it could start.",
      "The schedule was changed before this run could start.",
      "The time zone of the site was changed before this run could start.",
      "Stopped.",
      "The robot was put in maintenance.",
    ]);
    expect(withoutPerson(outcomeText("RUN_STOPPED", { name: null }))).toBe("Stopped by a command.");
    expect(withoutPerson(outcomeText("ROBOT_MOVING", { serial }))).toBe("Robot OWN-1 is already cleaning.");
  });
});
