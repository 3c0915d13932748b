/** Protocol rule 8: whether the robot itself has shown that it keeps the lock. */
export const confirmationWords = {
  confirmed: "confirmed by the robot",
  unconfirmed: "not confirmed by the robot",
} as const;

/** What is said wherever somebody is about to rely on a lock. */
export const NO_ISOLATION = "This lock does not replace isolating the machine.";
