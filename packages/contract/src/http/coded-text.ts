/**
 * A text that is stored or returned: the sentence for people, with the code and parameters that it was made from.
 * Programs decide by these, and can write it in another language.
 */
export interface CodedText<Code extends string = string> {
  readonly code: Code;
  readonly params: TextParams;
  readonly text: string;
}

/** What is stored of a text within a text. */
export type NestedText = Pick<CodedText, "code" | "params">;
export type TextParams = { readonly [name: string]: TextParam };
type TextParam = string | number | boolean | null | NestedText | readonly TextParams[];

/** A text as a parameter of another one. */
export function nested({ code, params }: CodedText): NestedText {
  return { code, params };
}

/** A sentence that ends in advice for whoever pressed a button. */
export interface AdvisingText {
  readonly text: string;
  readonly withoutAdvice: string;
}

/** The sentences of one kind of text by code, each made from its parameters. */
export type TextCatalog = Readonly<Record<string, (params: never) => string | AdvisingText>>;
/** The parameters that a sentence of a catalogue is made from. */
export type ParamsOf<Sentence> = Sentence extends (params: infer Params) => unknown
  ? unknown extends Params
    ? NoParams
    : Params
  : never;
type NoParams = Readonly<Record<string, never>>;

/** The texts of a catalogue whose sentences have no advice. */
export function textsOf<Catalog extends PlainCatalog>(catalog: Catalog) {
  const sentences: PlainCatalog = catalog;
  const written = (code: string, params: TextParams): string => {
    // A row has the parameters of its code: it was written from them.
    const sentence = Object.hasOwn(sentences, code) ? (sentences[code] as (params: TextParams) => string) : null;
    return sentence?.(params) ?? "";
  };
  return {
    /** The text that is stored and returned with this code. */
    text<Code extends keyof Catalog & string>(
      code: Code,
      params: ParamsOf<Catalog[Code]> & TextParams,
    ): CodedText<Code> {
      return { code, params, text: written(code, params) };
    },
    /** The sentence of a stored code with its parameters; empty for a code of another version. */
    sentence({ code, params }: NestedText): string {
      return written(code, params);
    },
  };
}
type PlainCatalog = Readonly<Record<string, (params: never) => string>>;
