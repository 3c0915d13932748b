import { Box, Radio, Stack } from "@mantine/core";
import { chooseTheme, THEMES, useTheme, type ThemeName } from "../../ui/theme/theme-choice.ts";
import classes from "./theme-picker.module.css";

const THEME_WORDS: Record<ThemeName, string> = {
  light: "Light",
  dark: "Dark",
  blue: "Blue",
  green: "Green",
  purple: "Purple",
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
          <label key={theme} className={classes["option"]} data-current={theme === current || undefined}>
            <Radio value={theme} aria-label={THEME_WORDS[theme]} />
            <Box component="span" fz={13} fw={550}>
              {THEME_WORDS[theme]}
            </Box>
            <span className={classes["swatch"]} data-swatch={theme} aria-hidden>
              <span />
              <span />
              <span />
            </span>
          </label>
        ))}
      </Stack>
    </Radio.Group>
  );
}
