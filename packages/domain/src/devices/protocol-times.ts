/** Times of the device protocol, in milliseconds unless named otherwise. */

/** A START, SET or MAINTENANCE_OFF is not accepted later than this after it was issued (rule 1). */
export const COMMAND_EXPIRES_MS = 5_000;
/** A command without a matching state by then is settled as failed (rule 6). */
export const COMMAND_SETTLES_MS = 8_000;
/** A START needs a live state no older than this (rule 2). */
export const STATE_FRESH_MS = 45_000;
/** Without a state for this long a robot is offline (rule 7). */
export const OFFLINE_AFTER_MS = 90_000;
/** A robot's clock may differ this much from the server's (rule 12). */
export const CLOCK_SKEW_MS = 30_000;
/** A pending STOP or MAINTENANCE_ON is sent again at this interval while the robot is connected (rule 3). */
export const RESEND_MS = 5_000;
/** A status call waits at most this long. */
export const STATUS_WAIT_MS = 10_000;
/** Longest manual run, in minutes (rule 4). */
export const MANUAL_RUN_MAX_MINUTES = 480;
/** A robot that has lost its broker stops by itself after this (rule 4). */
export const LINK_LOSS_STOP_MS = 300_000;
/** Tolerance for the robot's clock, and for when it noticed the loss, compared with what the server saw. */
export const STOPPED_MARGIN_MS = 60_000;
