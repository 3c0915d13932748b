// Receives Suncrew's events: checks signature and time, ignores what it has seen, and prints the rest. Plain Node.
// WEBHOOK_SECRET=whsec_... PORT=8080 node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const seen = new Set(); // A real receiver keeps the ids for some days, where a restart does not lose them.

function isGenuine({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false; // Five minutes: nobody sends it again later.
  const expected = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest();
  const given = signatures.split(" ").map((each) => Buffer.from(each.replace("v1,", ""), "base64"));
  return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers["webhook-id"];
  if (!seen.has(id)) console.log(body); // Here goes your work; what takes long is done after the answer.
  seen.add(id);
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 8080), () => console.error(`listening on port ${server.address().port}`));
