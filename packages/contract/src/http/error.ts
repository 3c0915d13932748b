import { z } from "zod";

export const fieldErrorSchema = z.object({ field: z.string(), message: z.string() });

/** Every refused or failed call answers this; device calls add `success` and `pending`. */
export const errorResponseSchema = z.object({
  message: z.string(),
  errors: z.array(fieldErrorSchema).optional(),
  success: z.literal(false).optional(),
  pending: z.boolean().optional(),
});

export type FieldError = z.output<typeof fieldErrorSchema>;
export type ErrorResponse = z.output<typeof errorResponseSchema>;
