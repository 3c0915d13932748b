import { useMediaQuery } from "@mantine/hooks";

/** On a phone: dialogs fill the screen, and the rows of tables become cards. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
}
