import type { Feature, FeatureCollection } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import coarseUrl from "world-atlas/land-110m.json?url";
import fineUrl from "world-atlas/land-50m.json?url";

export type Land = Feature | FeatureCollection;
type LandTopology = Topology<{ land: GeometryCollection }>;

/** Land without political borders; `coarse` is small and comes first, `fine` when nothing else is to do. */
export async function landOutline(detail: "coarse" | "fine"): Promise<Land> {
  const response = await fetch(detail === "coarse" ? coarseUrl : fineUrl);
  const topology: unknown = await response.json();
  if (!isLand(topology)) throw new Error("The land outline is not a topology.");
  return feature(topology, topology.objects.land);
}

/** The file comes with the console itself, so its kind is all that has to be seen. */
function isLand(value: unknown): value is LandTopology {
  return typeof value === "object" && value !== null && "arcs" in value && "objects" in value;
}
