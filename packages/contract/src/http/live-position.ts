import { z } from "zod";

/**
 * The position of a robot's change in the live stream: the number of the transaction that wrote it. The stream shows it
 * once an event's `reached` includes that number. Missing where nothing was written, such as a Stop that was sent while
 * the database is down.
 */
export const livePositionSchema = z.string().regex(/^\d{1,20}$/);

/**
 * How far the stream has come, as a PostgreSQL snapshot, `xmin:xmax:xip`: it shows the changes of every transaction
 * below `xmin`, and of those from `xmin` up to, but not including, `xmax` that the comma-separated list `xip` does not
 * name.
 */
export const liveReachedSchema = z.string().regex(/^\d{1,20}:\d{1,20}:(?:\d{1,20}(?:,\d{1,20})*)?$/);
