import { Box, Radio, Stack } from "@mantine/core";
import { chooseTheme, THEMES, useTheme, type ThemeName } from "../../ui/theme/theme-choice.ts";
import shared from "../../ui/shared.module.css";
import classes from "./theme-picker.module.css";

const THEME_WORDS: Record<ThemeName, string> = {
  light: "Light",
  dark: "Dark",
  blue: "Blue",
  green: "Green",
  purple: "Purple",
};

/** Bar, page and accent of each theme. */
const SWATCHES: Record<ThemeName, readonly string[]> = {
  light: ["#ffffff", "#edf1f4", "#0d6a7f"],
  dark: ["#0f1419", "#212a34", "#5cc3da"],
  blue: ["#12336e", "#e6eefa", "#1c58c7"],
  green: ["#14452c", "#e5efe8", "#1c7043"],
  purple: ["#391f6e", "#ede8f8", "#6a3cc0"],
};

/** §2 Theme picker: a radio list of the five themes, the current one marked; it takes effect at once. */
export function ThemePicker() {
  const current = useTheme();
  return (
    <Radio.Group
      label="Theme"
      value={current}
      onChange={(value) => {
        const chosen = THEMES.find((theme) => theme === value);
        if (chosen !== undefined) chooseTheme(chosen);
      }}
    >
      <Stack gap={4}>
        {THEMES.map((theme) => (
          <label
            key={theme}
            className={`${shared["choice"]} ${classes["option"]}`}
            data-selected={theme === current || undefined}
          >
            <Radio value={theme} aria-label={THEME_WORDS[theme]} />
            <Box component="span" fz={13} fw={550}>
              {THEME_WORDS[theme]}
            </Box>
            <span className={classes["swatch"]} aria-hidden>
              {SWATCHES[theme].map((color) => (
                <span key={color} style={{ background: color }} />
              ))}
            </span>
          </label>
        ))}
      </Stack>
    </Radio.Group>
  );
}
