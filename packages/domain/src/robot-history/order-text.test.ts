import { expect, test } from "vitest";
import { orderText, type StoredOrder } from "./order-text.ts";

test.each<[StoredOrder, string]>([
  [{ params: { "main-speed": 60 }, outcome: "CONFIRMED", ackCode: null }, "Main motor 60 %. Confirmed by the robot."],
  [
    { params: { direction: "REV", "brush-speed": 40 }, outcome: "REJECTED", ackCode: "BUSY" },
    "Brush motor 40 %, Reverse. Refused by the robot (BUSY).",
  ],
  [{ params: {}, outcome: "REJECTED", ackCode: null }, "Refused by the robot."],
  [{ params: {}, outcome: "UNCONFIRMED", ackCode: null }, "Not confirmed by the robot in time."],
  [{ params: {}, outcome: "NEVER_SENT", ackCode: null }, "Never sent."],
  [{ params: {}, outcome: null, ackCode: null }, "Waiting for the robot."],
])("robot page: what became of a command other than Start and Stop: %j", (order, text) => {
  expect(orderText(order)).toBe(text);
});
