import { z } from "zod";

export const fieldErrorSchema = z.object({ field: z.string(), message: z.string() });

/**
 * A refusal as a client reads it: a server of another version may send a code that this one does not know, or none. What
 * this version sends is `errorResponseSchema`.
 */
export const receivedErrorSchema = z.object({
  message: z.string(),
  code: z.string().optional(),
  errors: z.array(fieldErrorSchema).optional(),
  success: z.literal(false).optional(),
  pending: z.boolean().optional(),
});

export type ReceivedError = z.output<typeof receivedErrorSchema>;
export type FieldError = z.output<typeof fieldErrorSchema>;
