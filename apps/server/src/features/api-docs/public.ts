export { documentFiles, documentText } from "./api-docs.routes.ts";
export { collectCalls } from "./openapi-document.ts";
