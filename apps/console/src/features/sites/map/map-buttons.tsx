import { ActionIcon, Group } from "@mantine/core";
import { IconMinus, IconPlus, IconZoomReset } from "@tabler/icons-react";
import type { Map as LeafletMap } from "leaflet";
import { useEffect, useState } from "react";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import classes from "./site-map-view.module.css";

interface MapButtonsProps {
  readonly leaflet: LeafletMap;
  readonly onReset: () => void;
}

/** Beside the map, not over it: what lies under a button of the map can be neither seen nor pressed. */
export function MapButtons({ leaflet, onReset }: MapButtonsProps) {
  const [at, setAt] = useState(() => zoomOf(leaflet));
  useEffect(() => {
    const follow = () => setAt(zoomOf(leaflet));
    leaflet.on("zoomend zoomlevelschange", follow);
    return () => void leaflet.off("zoomend zoomlevelschange", follow);
  }, [leaflet]);
  const buttons = [
    {
      label: "Zoom in",
      Icon: IconPlus,
      reason: at.isNearest ? "The map shows no more than this." : null,
      onClick: () => leaflet.zoomIn(),
    },
    {
      label: "Zoom out",
      Icon: IconMinus,
      reason: at.isFarthest ? "This is as far away as it goes." : null,
      onClick: () => leaflet.zoomOut(),
    },
    { label: "Reset the map", Icon: IconZoomReset, reason: null, onClick: onReset },
  ];
  return (
    <Group gap={4} justify="flex-end">
      {buttons.map(({ label, Icon, reason, onClick }) => (
        <DisabledReason key={label} reason={reason}>
          <ActionIcon
            variant="default"
            size={28}
            className={classes["button"] ?? ""}
            aria-label={label}
            onClick={onClick}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        </DisabledReason>
      ))}
    </Group>
  );
}

function zoomOf(leaflet: LeafletMap) {
  const zoom = leaflet.getZoom();
  return { isNearest: zoom >= leaflet.getMaxZoom(), isFarthest: zoom <= leaflet.getMinZoom() };
}
