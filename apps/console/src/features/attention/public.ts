export { AttentionPanel, AttentionTitle } from "./attention-parts.tsx";
