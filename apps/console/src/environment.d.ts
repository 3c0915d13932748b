/** What a build of the console can be told. */
interface ImportMetaEnv {
  /** Where the interface is, if not at the console's own origin. */
  readonly VITE_API_BASE?: string;
}

/** What first-requests.ts has asked for while the scripts were loaded, by its address. */
// oxlint-disable-next-line no-var -- what is declared for the global object must be
declare var suncrewFirstAnswers:
  | Map<string, { readonly token: string | null; readonly askedAtMs: number; readonly answer: Promise<Response> }>
  | undefined;
