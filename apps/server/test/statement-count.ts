import type { KyselyPlugin } from "kysely";

/** Counts the statements of a database that was opened `withPlugin` this one; not where its transactions begin and end. */
export class StatementCount implements KyselyPlugin {
  statements = 0;

  transformQuery({ node }: Parameters<KyselyPlugin["transformQuery"]>[0]) {
    this.statements += 1;
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin["transformResult"]>[0]) {
    return result;
  }
}
