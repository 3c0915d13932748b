import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";

/** Half the height of every marker, and half the width of that of one site, in pixels. */
const HALF_PX = 12;
/** Half the size of the selected site's marker. */
const SELECTED_HALF_PX = 20;
/** Markers may overlap by this much before they become one. */
const OVERLAP_PX = 6;
/** No marker is wider: what lies farther apart cannot overlap. */
const CELL_PX = 80;

/** A place in pixels of the world at one zoom, so that panning changes nothing. */
export interface MarkedPlace {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** What one marker stands for: the places in it, and their middle. */
export interface SiteCluster {
  readonly ids: readonly number[];
  readonly x: number;
  readonly y: number;
}

/** Half the width of a marker with a number, in pixels. */
export function halfWidthOf(count: number): number {
  return count === 1 ? HALF_PX : 16 + 4 * String(count).length;
}

/**
 * Puts places whose markers would overlap under one marker, until none overlaps. The same places give the same result.
 *
 * @param selected has a marker of its own; what would cover a number, or be covered by it, moves aside
 */
export function clustersOf(places: readonly MarkedPlace[], selected: MarkedPlace | null): readonly SiteCluster[] {
  let clusters: readonly SiteCluster[] = places.map(({ id, x, y }) => ({ ids: [id], x, y }));
  for (;;) {
    const merged = mergedOnce(clusters);
    if (merged.length === clusters.length) break;
    clusters = merged;
  }
  return selected === null ? clusters : clusters.map((cluster) => beside(cluster, selected));
}

/** Moves it the shorter way, sideways or up or down. */
function beside(cluster: SiteCluster, selected: MarkedPlace): SiteCluster {
  const [right, down] = [cluster.x - selected.x, cluster.y - selected.y];
  const width = SELECTED_HALF_PX + halfWidthOf(cluster.ids.length);
  const height = SELECTED_HALF_PX + HALF_PX;
  const [missingWidth, missingHeight] = [width - Math.abs(right), height - Math.abs(down)];
  if (cluster.ids.length === 1 || missingWidth <= 0 || missingHeight <= 0) return cluster;
  return missingWidth < missingHeight
    ? { ...cluster, x: selected.x + (right < 0 ? -width : width) }
    : { ...cluster, y: selected.y + (down < 0 ? -height : height) };
}

function mergedOnce(clusters: readonly SiteCluster[]): readonly SiteCluster[] {
  const cells = Map.groupBy(clusters, ({ x, y }) => cellOf(x, y, 0, 0));
  const isTaken = new Set<SiteCluster>();
  return clusters.flatMap((cluster) => {
    if (isTaken.has(cluster)) return [];
    isTaken.add(cluster);
    const inside = [cluster];
    for (const right of [-1, 0, 1]) {
      for (const down of [-1, 0, 1]) {
        for (const other of cells.get(cellOf(cluster.x, cluster.y, right, down)) ?? []) {
          if (isTaken.has(other) || !areOverlapping(cluster, other)) continue;
          isTaken.add(other);
          inside.push(other);
        }
      }
    }
    return [inside.length === 1 ? cluster : together(inside)];
  });
}

function cellOf(x: number, y: number, right: number, down: number): string {
  return `${Math.floor(x / CELL_PX) + right} ${Math.floor(y / CELL_PX) + down}`;
}

function areOverlapping(one: SiteCluster, other: SiteCluster): boolean {
  const width = halfWidthOf(one.ids.length) + halfWidthOf(other.ids.length) - OVERLAP_PX;
  return Math.abs(one.x - other.x) < width && Math.abs(one.y - other.y) < 2 * HALF_PX - OVERLAP_PX;
}

function together(clusters: readonly SiteCluster[]): SiteCluster {
  const ids = clusters.flatMap((cluster) => cluster.ids);
  const mean = (of: (cluster: SiteCluster) => number) =>
    clusters.reduce((sum, cluster) => sum + of(cluster) * cluster.ids.length, 0) / ids.length;
  return { ids, x: mean(({ x }) => x), y: mean(({ y }) => y) };
}

/** What a marker shows of one site, or of several. */
export interface MarkedState {
  readonly status: SiteStatus;
  /** A robot there may be moving unseen. */
  readonly mayBeMoving: boolean;
}

/** From the best to the worst, as a site's status follows from its robots. */
const STATUSES: readonly SiteStatus[] = ["standby", "normal", "warning", "fault"];

/** How bad it is: worse markers are drawn above better ones. */
export function rankOf({ status, mayBeMoving }: MarkedState): number {
  return STATUSES.indexOf(status) + (mayBeMoving ? STATUSES.length : 0);
}

/** The worst status inside a cluster, and whether a robot of any of its sites may be moving unseen. */
export function worstOf(states: readonly MarkedState[]): MarkedState {
  const ranks = states.map(({ status }) => STATUSES.indexOf(status));
  return {
    status: STATUSES[ranks.reduce((worst, rank) => Math.max(worst, rank), 0)] ?? "standby",
    mayBeMoving: states.some(({ mayBeMoving }) => mayBeMoving),
  };
}
