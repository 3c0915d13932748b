import { readFile } from "node:fs/promises";
import { expectAccessibleAsShown } from "./support/axe.ts";
import { expect, test } from "./support/suncrew.ts";

test("open to other programs: /api/docs lists the calls, sends one, contacts no other server, and fits a phone", async ({
  page,
  suncrew,
}) => {
  // A full scan of a page that lists every call.
  test.slow();
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    const isHere = request.url().startsWith(suncrew.baseUrl) || /^(data|blob):/.test(request.url());
    if (!isHere) elsewhere.push(request.url());
  });
  await page.goto("/api/docs");
  await expect(page.getByRole("heading", { name: "Suncrew API" })).toBeVisible();

  // The list of all calls grows as it is scrolled.
  const filter = page.getByPlaceholder("Filter by tag or path");
  await filter.fill("Commands");
  const command = page.locator("#operations-Commands-sendCommand");
  await command.getByRole("button").first().click();
  await expect(command.getByText("Every signed-in user may make this call.")).toBeVisible();
  await expect(command.getByText("The robot is offline or did not confirm in time")).toBeVisible();
  await expectAccessibleAsShown(page);

  await filter.fill("Server");
  const config = page.locator("#operations-Server-config");
  await config.getByRole("button").first().click();
  await config.getByRole("button", { name: "Try it out" }).click();
  await config.getByRole("button", { name: "Execute" }).click();
  await expect(config.locator(".live-responses-table .response .response-col_status")).toContainText("200");
  await expect(config.locator(".live-responses-table")).toContainText("demo_sign_ins");

  await expect(page.getByRole("link", { name: "OpenAPI document" })).toHaveAttribute("href", "/api/docs/openapi.json");
  const asyncApi = page.getByRole("navigation", { name: "Documents" }).getByRole("link", { name: /AsyncAPI/ });
  await expect(asyncApi).toHaveAttribute("href", "/api/docs/asyncapi.json");
  expect(elsewhere).toEqual([]);

  await config.getByRole("button").first().click();
  await filter.fill("Commands");
  await page.setViewportSize({ width: 390, height: 780 });
  await expectAccessibleAsShown(page);
  await expect(command.getByText("Identifies this press")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("open to other programs: where the documents require sign-in, the profile links to them, the page and its links carry the token, and Try it out runs as the signed-in user", async ({
  page,
  signIn,
  problems,
}) => {
  problems.allow(/status of 401 .*openapi\.json/);
  // As production answers: a demo shows the documents to anybody.
  await page.route("/api/docs/*.json", async (route) => {
    const isSignedIn = /^Bearer ./.test(route.request().headers()["authorization"] ?? "");
    await (isSignedIn ? route.continue() : route.fulfill({ status: 401, json: { message: "Please sign in." } }));
  });
  await page.goto("/api/docs");
  await expect(page.locator("#calls")).toHaveText("Sign in at the console to read the documents.");
  await expectAccessibleAsShown(page);
  await page.getByRole("link", { name: "OpenAPI document" }).click();
  await expect(page.getByRole("banner").getByRole("status")).toHaveText(
    "Sign in at the console to read the documents.",
  );

  await signIn(page, "partner", { at: "/profile" });
  await page.getByRole("link", { name: "API documentation" }).click();
  await expect(page.getByText(/^Calls are made as .+\.$/)).toBeVisible();
  const sites = page.locator("#operations-Sites-siteDetails");
  await sites.getByRole("button").first().click();
  await sites.getByRole("button", { name: "Try it out" }).click();
  await sites.getByRole("button", { name: "Execute" }).click();
  await expect(sites.locator(".live-responses-table .response .response-col_status")).toContainText("200");
  await expect(sites.locator(".live-responses-table")).toContainText("Bhadla Solar Park");
  for (const [link, name] of [
    ["OpenAPI document", "openapi"],
    ["AsyncAPI document (robots, MQTT)", "asyncapi"],
  ] as const) {
    const saving = page.waitForEvent("download");
    await page.getByRole("navigation", { name: "Documents" }).getByRole("link", { name: link }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`${name}.json`);
    expect(JSON.parse(await readFile(await file.path(), "utf8"))).toMatchObject({ [name]: expect.any(String) });
  }
});
