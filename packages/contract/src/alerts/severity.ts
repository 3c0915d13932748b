import { z } from "zod";

export const severitySchema = z.enum(["INFO", "WARNING", "CRITICAL"]);
export type Severity = z.output<typeof severitySchema>;
