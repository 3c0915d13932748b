import { createHash } from "node:crypto";
import {
  createRollout,
  deleteFirmware,
  FIRMWARE_MAX_BYTES,
  firmwareFile,
  firmwareList,
  rolloutDetails,
  rolloutList,
  controlRollout,
  uploadFirmware,
} from "@suncrew/contract/firmware/firmware.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seedFirmware, seededFirmware, seededOfferSignature } from "../../../test/firmware-fixtures.ts";
import type { Person } from "../../../test/fixtures.ts";
import { createTestApp, type TestApp, testSettings } from "../../../test/test-app.ts";
import { type Answer, urlOf } from "../../../test/test-client.ts";
import { CHUNK_BYTES } from "./firmware-files.service.ts";
import { DownloadUrlSigner } from "./download-url.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
});
afterAll(() => server.close());
beforeEach(() => seedFirmware(server.db, server.fixtures));

async function upload(
  query: Record<string, string>,
  content: Buffer | string | object,
  as: Person | null = "admin",
  headers: Record<string, string> = {},
): Promise<Answer> {
  const client = await server.as(as);
  return client.raw(urlOf(uploadFirmware.path, {}, query), { method: "POST", body: content, headers });
}
const file = { version: "9.2.0", file_name: "robot.bin" };
const audits = () =>
  server.db
    .selectFrom("audit")
    .select(["action", "outcome", "reason", "actor"])
    .where("entity", "in", ["firmware", "rollout"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();

describe("§5 Deploy firmware: upload", () => {
  test("a file is stored with its SHA-256 and listed; uploading it again gives the same answer, even under another name", async () => {
    const content = Buffer.from("new firmware");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const first = await upload(file, content);
    expect([first.status, first.body]).toMatchObject([201, { message: "Firmware 9.2.0 was uploaded.", sha256 }]);
    const again = await upload({ ...file, file_name: "OTHER.HEX" }, content);
    const { firmwareId } = uploadFirmware.response.parse(first.body);
    expect([again.status, again.body]).toEqual([
      201,
      { message: "Firmware 9.2.0 was uploaded before.", firmwareId, sha256 },
    ]);
    const [newest] = await (await server.as("admin")).ask(firmwareList);
    expect(newest).toMatchObject({
      id: firmwareId,
      version: "9.2.0",
      file_name: "robot.bin",
      bytes: content.length,
      sha256,
    });
    const other = await upload(file, Buffer.from("other"));
    expect([other.status, other.text]).toMatchObject([409, expect.stringContaining("different content")]);
    expect(await audits()).toMatchObject({ action: "UPLOAD_FIRMWARE", outcome: "REFUSED", actor: "Anita Rao" });
  });

  test.each<[string, Record<string, string>, Buffer | object, number, string]>([
    ["is empty", file, Buffer.alloc(0), 400, "The file is empty"],
    ["has another ending", { ...file, file_name: "robot.exe" }, Buffer.from("x"), 400, "must end in .bin, .hex, .fw"],
    ["has a wrong version", { ...file, version: "2 0" }, Buffer.from("x"), 400, "1 to 40 letters"],
    ["is JSON", file, { content: "x" }, 400, "application/octet-stream"],
    ["has no version", { file_name: "robot.bin" }, Buffer.from("x"), 400, "Version is required"],
    ["is too large", file, Buffer.alloc(FIRMWARE_MAX_BYTES + 1), 413, ""],
  ])("is refused if it %s", async (_title, query, content, status, text) => {
    const answer = await upload(query, content);
    expect([answer.status, answer.text]).toMatchObject([status, expect.stringContaining(text)]);
  });

  test("the largest file is accepted; other calls accept no files", async () => {
    expect((await upload(file, Buffer.alloc(FIRMWARE_MAX_BYTES, 7))).status).toBe(201);
    const client = await server.as("admin");
    const wrong = await client.raw(createRollout.path, { method: "POST", body: Buffer.from("x") });
    expect(wrong.status).toBe(415);
  });

  test("it is deleted for good once no rollout needs it", async () => {
    const admin = await server.as("admin");
    const needed = await admin.call(deleteFirmware, { params: { firmwareId: seededFirmware.deployedId } });
    expect([needed.status, needed.body]).toEqual([
      409,
      { message: "Firmware 9.1.0 is being deployed. Cancel its rollout first.", code: "FIRMWARE_IN_USE" },
    ]);
    expect(await admin.ask(deleteFirmware, { params: { firmwareId: seededFirmware.firmwareId } })).toEqual({
      message: "Firmware 9.0.0 was deleted.",
    });
    expect(await audits()).toMatchObject({ action: "DELETE_FIRMWARE", outcome: "DONE" });
    expect((await admin.call(deleteFirmware, { params: { firmwareId: seededFirmware.firmwareId } })).status).toBe(404);
    const row = await server.db
      .selectFrom("firmware")
      .select("content")
      .where("id", "=", seededFirmware.firmwareId)
      .executeTakeFirst();
    expect(row).toEqual({ content: null });
    expect((await upload({ ...file, version: "9.0.0" }, Buffer.from("another 9.0.0"))).status).toBe(201);
  });
});

describe("protocol rule 13: a robot downloads what it was offered", () => {
  const { offerId, expires } = seededFirmware;
  const signature = seededOfferSignature(testSettings.secretKey);
  const download = async (params: { offerId: string }, query: { expires: string; signature: string }) =>
    (await server.as(null)).call(firmwareFile, { params, query });

  test("with a valid signature, without signing in, part by part", async () => {
    const content = Buffer.alloc(3 * CHUNK_BYTES + 17, "0123456789abcdef");
    await server.db
      .updateTable("firmware")
      .set({ content, bytes: content.length })
      .where("id", "=", seededFirmware.deployedId)
      .execute();
    const answer = await download({ offerId }, { expires: String(expires), signature });
    expect([answer.status, answer.headers["content-type"], answer.headers["content-length"]]).toEqual([
      200,
      "application/octet-stream",
      String(content.length),
    ]);
    expect(answer.text === content.toString()).toBe(true);
  });

  test("200 robots concurrently get the complete file each", async () => {
    const content = Buffer.alloc(2 * CHUNK_BYTES, "abcdefgh");
    await server.db
      .updateTable("firmware")
      .set({ content, bytes: content.length })
      .where("id", "=", seededFirmware.deployedId)
      .execute();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => download({ offerId }, { expires: String(expires), signature })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status}:${text.length}`))).toEqual(
      new Set([`200:${content.length}`]),
    );
  });

  const otherHex = signature.startsWith("0") ? `1${signature.slice(1)}` : `0${signature.slice(1)}`;
  test.each<[string, { offerId: string }, { expires: string; signature: string }]>([
    ["another signature", { offerId }, { expires: String(expires), signature: otherHex }],
    ["another end", { offerId }, { expires: String(expires + 1), signature }],
    ["another offer", { offerId: "01980a6e-5f00-7000-8000-000000000abc" }, { expires: String(expires), signature }],
    ["another robot's signature", { offerId }, { expires: String(expires), signature: signed({ serial: "OWN-1" }) }],
    ["another file's signature", { offerId }, { expires: String(expires), signature: signed({ firmwareId: 1 }) }],
    [
      "another server's key",
      { offerId },
      { expires: String(expires), signature: seededOfferSignature("k".repeat(40)) },
    ],
  ])("is refused with %s", async (_title, params, query) => {
    const answer = await download(params, query);
    expect([answer.status, answer.body]).toEqual([
      403,
      { message: "This address is not valid.", code: "DOWNLOAD_LINK_INVALID" },
    ]);
  });

  test("is refused once it has expired, or the offer is over", async () => {
    const past = Math.floor(server.clock.now().getTime() / 1000);
    const expired = await download({ offerId }, { expires: String(past), signature: signed({ expires: past }) });
    expect([expired.status, expired.body]).toEqual([
      403,
      { message: "This address has expired.", code: "DOWNLOAD_LINK_EXPIRED" },
    ]);
    await server.db
      .updateTable("rollout_robots")
      .set({ state: "FAILED", reason: "It failed.", ended_at: new Date() })
      .execute();
    const over = await download({ offerId }, { expires: String(expires), signature });
    expect([over.status, over.body]).toEqual([403, { message: "This offer is over.", code: "OFFER_OVER" }]);
  });

  function signed(change: { serial?: string; firmwareId?: number; expires?: number }): string {
    const grant = { offerId, serial: "OWN-2", firmwareId: seededFirmware.deployedId, expires, ...change };
    return new DownloadUrlSigner(testSettings.secretKey).sign(grant);
  }
});

describe("§5 Deploy firmware: rollouts", () => {
  test("one is created for chosen robots and listed with all of them waiting; robots in another one are refused", async () => {
    const admin = await server.as("admin");
    const { ownRobot, ownRobot2, foreignRobot } = server.fixtures;
    const body = { firmware_id: seededFirmware.firmwareId, robot_ids: [foreignRobot.id, ownRobot.id, foreignRobot.id] };
    const made = await admin.ask(createRollout, { body });
    expect(made.message).toBe("Deploying firmware to 2 robot(s).");
    const details = await admin.ask(rolloutDetails, { params: { rolloutId: made.rolloutId } });
    expect(details).toMatchObject({ version: "9.0.0", state: "RUNNING", batch_size: 10, created_by: "Anita Rao" });
    expect(details.counts).toMatchObject({ WAITING: 2, DONE: 0 });
    expect(details.robots.map(({ serial_number, state, reason }) => [serial_number, state, reason])).toEqual([
      ["FAR-1", "WAITING", "Waits until it is online"],
      ["OWN-1", "WAITING", "Waits until it is online"],
    ]);
    expect((await admin.ask(rolloutList)).map(({ id }) => id)).toEqual(
      [made.rolloutId, seededFirmware.rolloutId].toSorted((a, b) => b - a),
    );
    const twice = await admin.call(createRollout, { body: { ...body, robot_ids: [ownRobot.id, ownRobot2.id] } });
    expect([twice.status, twice.body]).toEqual([
      409,
      { message: "Robots OWN-1, OWN-2 are in another rollout that has not ended.", code: "ROBOT_IN_OTHER_ROLLOUT" },
    ]);
    expect(await audits()).toMatchObject({ action: "CREATE_ROLLOUT", outcome: "REFUSED" });
  });

  test("it is paused, resumed and cancelled, repeating each gives the same answer, and not once it is over", async () => {
    const admin = await server.as("admin");
    const steer = (action: "PAUSE" | "RESUME" | "CANCEL") =>
      admin.call(controlRollout, { params: { rolloutId: seededFirmware.rolloutId }, body: { action } });
    for (const action of ["PAUSE", "RESUME", "CANCEL"] as const) {
      const [first, second] = [await steer(action), await steer(action)];
      expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
      expect(await audits()).toMatchObject({ action: `${action}_ROLLOUT`, outcome: "DONE" });
    }
    const over = await steer("RESUME");
    expect([over.status, over.body]).toEqual([409, { message: "The rollout was cancelled.", code: "ROLLOUT_OVER" }]);
    expect(await audits()).toMatchObject({ action: "RESUME_ROLLOUT", outcome: "REFUSED" });
  });

  test("without an address at which robots reach the server it is refused, with what to set", async () => {
    const nowhere = await createTestApp({ settings: { publicUrl: () => null } });
    try {
      await seedFirmware(nowhere.db, nowhere.fixtures);
      const body = { firmware_id: seededFirmware.firmwareId, robot_ids: [nowhere.fixtures.ownRobot.id] };
      const answer = await (await nowhere.as("admin")).call(createRollout, { body });
      expect([answer.status, answer.text]).toMatchObject([409, expect.stringContaining("PUBLIC_URL")]);
    } finally {
      await nowhere.close();
    }
  });
});
