/** Every address of the console is built here (§2 Routes). */
export const paths = {
  signIn: () => "/",
  dashboard: () => "/dashboard",
} as const;
