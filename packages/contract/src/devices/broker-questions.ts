import { z } from "zod";

/** HTTP authentication and authorization hooks for a broker such as EMQX 5 (protocol rule 9). */
export const brokerAuthPath = "/broker/auth";
export const brokerAclPath = "/broker/acl";

/** As EMQX's HTTP authenticator sends it, placeholders filled in; a missing name is an empty string. */
export const brokerSignInSchema = z.object({
  username: z.string().max(1_000),
  password: z.string().max(1_000),
  clientid: z.string().max(1_000),
});

/** As EMQX's HTTP authorizer sends it. */
export const brokerTopicSchema = z.object({
  username: z.string().max(1_000),
  topic: z.string().max(10_000),
  action: z.enum(["publish", "subscribe"]),
});

/** "ignore" defers to the broker's other sources. */
export const brokerAnswerSchema = z.object({
  result: z.enum(["allow", "deny", "ignore"]),
  is_superuser: z.literal(false).optional(),
});
export type BrokerAnswer = z.output<typeof brokerAnswerSchema>;
