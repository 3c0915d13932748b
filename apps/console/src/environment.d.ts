/** Build-time settings of the console. */
interface ImportMetaEnv {
  /** The API's origin, if not the console's own. */
  readonly VITE_API_BASE?: string;
}

/** What first-requests.ts has requested while the scripts were loading, by URL. */
// oxlint-disable-next-line no-var -- what is declared for the global object must be
declare var suncrewFirstAnswers:
  | Map<string, { readonly token: string | null; readonly requestedAtMs: number; readonly answer: Promise<Response> }>
  | undefined;
