export { documentFiles, documentText } from "./written-documents.ts";
