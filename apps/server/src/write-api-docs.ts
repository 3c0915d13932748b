import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { documentFiles, documentText } from "./features/api-docs/public.ts";
import { repositoryDir } from "./process/data-folder.ts";

/** Writes docs/api anew: `npm run api-docs`, after each change of a route, a schema or a topic. */
const folder = join(repositoryDir, "docs/api");
await mkdir(folder, { recursive: true });
for (const name of documentFiles) {
  await writeFile(join(folder, name), documentText(name));
  process.stdout.write(`docs/api/${name}\n`);
}
