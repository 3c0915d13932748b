import { type DemoDistrict, demoDistricts, partnersOfState } from "./demo-districts.ts";
import type { DemoPark } from "./demo-parks.ts";
import { oneOf, seededRandom, wholeFrom } from "./seeded-random.ts";

const kinds = ["Solar Park", "Solar Farm", "Solar Power Plant", "Solar Project", "Solar Power Station"];
const TOWNS_OF_A_DISTRICT = 4;

/** How many parks can be invented without a name coming twice. */
export const mostGeneratedParks = demoDistricts.length * TOWNS_OF_A_DISTRICT * kinds.length;

const sides = ["north", "east", "south", "west"];
/** Distance to the middle of the district in degrees: no farther, so that no park leaves its state or the land. */
const NEAREST = 0.04;
const FARTHEST = 0.17;

/**
 * Invented parks at plausible places all over India, the same at every call; more of them begin with the same ones.
 * Throws above `mostGeneratedParks`.
 */
export function generatedParks(count: number): DemoPark[] {
  return Array.from({ length: count }, (_, index) => generatedPark(index));
}

function generatedPark(index: number): DemoPark {
  const district = demoDistricts[index % demoDistricts.length];
  const lap = Math.floor(index / demoDistricts.length);
  const town = district?.towns[lap % TOWNS_OF_A_DISTRICT];
  if (district === undefined || town === undefined || index >= mostGeneratedParks)
    throw new Error(`There are no more than ${mostGeneratedParks} invented parks.`);
  const random = seededRandom(`park ${index}`);
  // Each town goes through the kinds from its own one on, so that a name comes once only.
  const kind = kinds[(Math.floor(lap / TOWNS_OF_A_DISTRICT) + index) % kinds.length];
  const [latitude, longitude] = placeIn(district, lap, random);
  return {
    name: `${town} ${kind}`,
    address: `${wholeFrom(random, 2, 14)} km ${oneOf(random, sides)} of ${town}`,
    district: district.district,
    state: district.state,
    pin_code: `${district.pin}${String(wholeFrom(random, 1, 399)).padStart(3, "0")}`,
    commissioning_date: `${wholeFrom(random, 2013, 2024)}-${twoDigits(wholeFrom(random, 1, 12))}-${twoDigits(wholeFrom(random, 1, 28))}`,
    latitude,
    longitude,
    partner: oneOf(random, partnersOfState[district.state] ?? [null]),
  };
}

/** Parks of a district stand in a spiral around its middle, each some kilometres from the others. */
function placeIn({ at: [latitude, longitude] }: DemoDistrict, lap: number, random: () => number): [number, number] {
  const laps = TOWNS_OF_A_DISTRICT * kinds.length;
  const distance = NEAREST + (FARTHEST - NEAREST) * Math.sqrt((lap + random() * 0.5) / laps);
  // The golden angle never comes back to the same direction.
  const angle = lap * 2.399963 + latitude * 7;
  return [rounded(latitude + distance * Math.sin(angle)), rounded(longitude + distance * Math.cos(angle))];
}

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
const twoDigits = (number: number): string => String(number).padStart(2, "0");
