import { expect, test } from "vitest";
import { endsWhenAcknowledged, serverClockAlert } from "./server-alerts.ts";

const AHEAD = "The database's time is 600 s ahead of the time that this server counted.";
const JUMPED = "Its clock jumped by 90 s.";

test("protocol rule 12: one server whose clock does not agree is named, with what it does not do meanwhile", () => {
  expect(serverClockAlert([{ name: "suncrew-1", words: AHEAD }])).toEqual({
    code: "SERVER_CLOCK",
    severity: "CRITICAL",
    text: `Server suncrew-1 starts no robot, and is neither bridge nor scheduler, until its clocks agree. ${AHEAD}`,
  });
});

test("protocol rule 12: of several servers each is told with its own words, in one order", () => {
  const [one, two] = [
    { name: "suncrew-1", words: AHEAD },
    { name: "suncrew-2", words: JUMPED },
  ];
  const { text } = serverClockAlert([two, one]);
  expect(text).toBe(
    `2 servers start no robot, and none of them is bridge or scheduler, until their clocks agree. suncrew-1: ${AHEAD} suncrew-2: ${JUMPED}`,
  );
  expect(serverClockAlert([one, two]).text).toBe(text);
});

test("protocol rule 12: a server that was restarted meanwhile is told once, and acknowledging ends nothing", () => {
  const one = { name: "suncrew-1", words: AHEAD };
  expect(serverClockAlert([one, { ...one }])).toEqual(serverClockAlert([one]));
  expect(endsWhenAcknowledged("SERVER", "SERVER_CLOCK")).toBe(false);
});
