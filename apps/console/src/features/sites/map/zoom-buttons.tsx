import { ActionIcon } from "@mantine/core";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import type { Map as LeafletMap } from "leaflet";
import { useEffect, useState } from "react";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import classes from "./zoom-buttons.module.css";

/** Beside the picture, not over it: what lies under a button of the map cannot be seen nor pressed. */
export function ZoomButtons({ leaflet }: { leaflet: LeafletMap }) {
  const [at, setAt] = useState(() => zoomOf(leaflet));
  useEffect(() => {
    const follow = () => setAt(zoomOf(leaflet));
    leaflet.on("zoomend zoomlevelschange", follow);
    return () => void leaflet.off("zoomend zoomlevelschange", follow);
  }, [leaflet]);
  return (
    <div className={classes["buttons"]}>
      <DisabledReason reason={at.isNearest ? "The map shows no more than this." : null}>
        <ActionIcon variant="default" size={28} aria-label="Zoom in" onClick={() => leaflet.zoomIn()}>
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </DisabledReason>
      <DisabledReason reason={at.isFarthest ? "This is as far away as it goes." : null}>
        <ActionIcon variant="default" size={28} aria-label="Zoom out" onClick={() => leaflet.zoomOut()}>
          <IconMinus size={16} aria-hidden />
        </ActionIcon>
      </DisabledReason>
    </div>
  );
}

function zoomOf(leaflet: LeafletMap) {
  const zoom = leaflet.getZoom();
  return { isNearest: zoom >= leaflet.getMaxZoom(), isFarthest: zoom <= leaflet.getMinZoom() };
}
