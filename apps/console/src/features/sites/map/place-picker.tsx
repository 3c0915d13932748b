import { Stack } from "@mantine/core";
import type { Coordinates } from "@suncrew/domain/sites/site-duplicates.ts";
import { useEffect, useRef } from "react";
import { useTheme } from "../../../ui/theme/theme-choice.ts";
import { Attribution } from "./attribution-line.tsx";
import { MapButtons } from "./map-buttons.tsx";
import { PlaceMap, type NamedPlace } from "./place-map.ts";
import pickerClasses from "./place-picker.module.css";
import classes from "./site-map-view.module.css";
import { groundColours, useMap } from "./use-map.ts";

export interface PlacePickerProps {
  /** Null until both numbers are valid. */
  readonly place: Coordinates | null;
  /** Another site is already there. */
  readonly isTaken: boolean;
  /** The other sites. */
  readonly others: readonly NamedPlace[];
  readonly onPick: (place: Coordinates) => void;
}

/** The map of the site dialog: pressing it, or dragging the pin, sets the coordinates. */
export function PlacePicker({ place, isTaken, others, onPick }: PlacePickerProps) {
  const pick = useRef(onPick);
  const theme = useTheme();
  useEffect(() => {
    pick.current = onPick;
  }, [onPick]);
  const { container, map, attribution } = useMap((element) => {
    const made = new PlaceMap({
      container: element,
      pinClass: pickerClasses["pin"] ?? "",
      nameClass: pickerClasses["name"] ?? "",
      onPick: (at) => pick.current(at),
    });
    if (place !== null) made.lookAt(place, others);
    return made;
  });

  // The canvas takes colours, not variables: they are read again for each theme.
  useEffect(() => {
    if (map === null || container.current === null) return;
    const style = getComputedStyle(container.current);
    map.paintGround(groundColours(style));
    map.showOthers(others, style.getPropertyValue("--sc-text-muted"));
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the theme stands for the colours read
  }, [container, map, others, theme]);

  const latitude = place?.latitude;
  const longitude = place?.longitude;
  useEffect(() => {
    const isComplete = latitude !== undefined && longitude !== undefined;
    map?.showPlace(isComplete ? { latitude, longitude } : null, isTaken);
  }, [map, latitude, longitude, isTaken]);

  return (
    <Stack gap={6} flex={1} mih={0}>
      {map !== null && <MapButtons leaflet={map.leaflet} onReset={() => map.reset()} />}
      <div className={`${classes["frame"]} ${pickerClasses["frame"]}`}>
        <div
          ref={container}
          className={classes["map"]}
          role="region"
          aria-label="Map for choosing the place. The coordinates can be typed instead."
        />
        <Attribution tiles={attribution} />
      </div>
    </Stack>
  );
}
