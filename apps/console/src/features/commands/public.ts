export { reasonOf } from "./command-call.ts";
export type { CommandTarget, StartOrStop } from "./command-call.ts";
export { waitingLook, wordsOfOpenCommand } from "./command-meaning.ts";
export { RobotResultList } from "./robot-result-list.tsx";
export { sendRobotCommand } from "./send-robot-command.ts";
export type { CommandOutcome } from "./send-robot-command.ts";
