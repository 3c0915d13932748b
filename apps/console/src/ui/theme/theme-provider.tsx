import { createTheme, defaultVariantColorsResolver, MantineProvider } from "@mantine/core";
import type { MantineColorsTuple, VariantColorsResolver } from "@mantine/core";
import type { ReactNode } from "react";
import { styleNonce } from "../style-nonce.ts";
import "./base-styles.ts";
import { useTheme } from "./theme-choice.ts";

/** The shades of a colour that the library requires; what is visible comes from mantine-tokens.css. */
const accent: MantineColorsTuple = [
  "#eef8fa",
  "#dcf0f4",
  "#b8dfe8",
  "#8fcbd8",
  "#5cb0c2",
  "#2f93a9",
  "#0d6a7f",
  "#0b6478",
  "#094f5f",
  "#063a46",
];

const ON_FILL: Readonly<Record<string, string>> = { accent: "var(--sc-on-accent)", red: "var(--sc-on-danger)" };

/** Text on a filled accent is dark in the dark theme, where the accent is bright. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const onFill = ON_FILL[input.color ?? input.theme.primaryColor];
  return input.variant === "filled" && onFill !== undefined ? { ...colors, color: onFill, hoverColor: onFill } : colors;
};

const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 6 },
  colors: { accent },
  variantColorResolver,
  // Bundled (font.css); the others are for scripts that it lacks, such as Devanagari.
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.25rem", xl: "2rem" },
  radius: { xs: "2px", sm: "4px", md: "6px", lg: "10px", xl: "16px" },
  headings: { fontWeight: "650" },
  components: {
    // A header inside a dialog would count as a second banner of the page.
    ModalHeader: { defaultProps: { component: "div" } },
    // A menu may contain only its items; the first of them gets the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: {
        centered: true,
        // Below the toasts.
        yOffset: "max(5dvh, 64px)",
        closeButtonProps: { "aria-label": "Close" },
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
      },
    },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 150, events: { hover: true, focus: true, touch: true } } },
  },
});

/** Gives the components the chosen theme. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const chosen = useTheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={chosen === "dark" ? "dark" : "light"} getStyleNonce={styleNonce}>
      {children}
    </MantineProvider>
  );
}
