import { asyncApiDocument } from "./asyncapi-document.ts";
import { deviceFieldsText } from "./device-fields.ts";
import { openApiDocument } from "./openapi-document.ts";

/** The files below docs/api: what the server serves, to be read and compared without one. */
export const documentFiles = ["openapi.json", "asyncapi.json", "device-fields.md"] as const;

/** The text of such a file. */
export function documentText(name: (typeof documentFiles)[number]): string {
  if (name === "device-fields.md") return deviceFieldsText();
  const document = name === "openapi.json" ? openApiDocument() : asyncApiDocument();
  return `${JSON.stringify(document, null, 2)}\n`;
}
