export { AttentionPanel, AttentionTitle } from "./attention-parts.tsx";
export { subjectOf } from "./attention-looks.ts";
