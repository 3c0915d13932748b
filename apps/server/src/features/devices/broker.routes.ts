import { createHash, timingSafeEqual } from "node:crypto";
import {
  brokerAclPath,
  type BrokerAnswer,
  brokerAuthPath,
  brokerSignInSchema,
  brokerTopicSchema,
} from "@suncrew/contract/devices/broker-questions.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { notSignedIn } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { deviceAccess } from "./device-access.ts";

/**
 * What a broker such as EMQX asks over HTTP (protocol rule 9): may this device sign in, may it publish or subscribe?
 * None of the console's calls, so outside `/api`; nothing is answered without the token. A name that is no device's is
 * left to the broker's other sources, where the server's own account is.
 */
export function brokerRoutes(app: FastifyInstance, { db, settings }: Dependencies): void {
  const token = settings.brokerAuthToken ?? null;
  if (token === null) return;
  const access = deviceAccess(db);
  const expected = digest(`Bearer ${token}`);
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    const given = digest(request.headers.authorization ?? "");
    if (!timingSafeEqual(given, expected)) throw notSignedIn("This call is the broker's.");
  };

  const signIn = async (request: FastifyRequest): Promise<BrokerAnswer> => {
    const { data } = brokerSignInSchema.safeParse(request.body);
    if (data === undefined) return { result: "deny" };
    const { username, password, clientid } = data;
    if (!(await access.isDevice(username))) return { result: "ignore" };
    const isRight = clientid === username && (await access.signIn(username, password));
    return { result: isRight ? "allow" : "deny", is_superuser: false };
  };

  const reach = async (request: FastifyRequest): Promise<BrokerAnswer> => {
    const { data } = brokerTopicSchema.safeParse(request.body);
    if (data === undefined) return { result: "deny" };
    const { username, topic, action } = data;
    if (!(await access.isDevice(username))) return { result: "ignore" };
    const may = action === "publish" ? access.mayPublish(username, topic) : access.maySubscribe(username, topic);
    return { result: may && (await access.isInService(username)) ? "allow" : "deny" };
  };

  app.route({ method: "POST", url: brokerAuthPath, config: { anyHost: true }, onRequest, handler: signIn });
  app.route({ method: "POST", url: brokerAclPath, config: { anyHost: true }, onRequest, handler: reach });
}

/** Equally long, whatever was given. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
