export type { CommandTarget, StartOrStop } from "./command-call.ts";
export { wordsOfOpenCommand } from "./command-meaning.ts";
export { sendRobotCommand } from "./send-robot-command.ts";
export type { CommandOutcome } from "./send-robot-command.ts";
