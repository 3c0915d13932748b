/** What a build of the console can be told. */
interface ImportMetaEnv {
  /** Where the interface is, if not at the console's own origin. */
  readonly VITE_API_BASE?: string;
}
