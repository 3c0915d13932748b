import { expect, test } from "vitest";
import { parseViews, withView } from "./saved-views.ts";

const night = { name: "Night", search: "figure=offline" };

test("Robots page: a saved view takes the place of one of the same name; they are kept by name", () => {
  const views = withView(withView([], night), { name: "Batteries", search: "battery=20" });
  expect(views.map(({ name }) => name)).toEqual(["Batteries", "Night"]);
  expect(withView(views, { name: "NIGHT", search: "" }).map(({ search }) => search)).toEqual(["battery=20", ""]);
});

test.each([null, "", "{", "[1]", '[{"name":""}]'])("Robots page: stored views that read %j count as none", (text) => {
  expect(parseViews(text)).toEqual([]);
});

test("Robots page: what was stored can be read back", () => {
  expect(parseViews(JSON.stringify([night]))).toEqual([night]);
});
