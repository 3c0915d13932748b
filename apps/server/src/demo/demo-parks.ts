import type { EnergyFacts } from "@suncrew/contract/sites/site-energy-facts.ts";
import { type DemoDistrict, demoDistricts, partnersOfState } from "./demo-districts.ts";
import { oneOf, seededRandom, integerBetween } from "../platform/seeded-random.ts";

/** Partners of the demo besides In-house. Companies and people are invented; the form of the addresses is real. */
// Grouped lines are a table to read.
// oxfmt-ignore
export const demoPartners = [
  {
    key: "suncare", name: "SunCare Services",
    contact_person: "Asha Rathore", contact_info: "+91 98290 41276", email: "asha.rathore@suncare.example",
    address: "14 Residency Road, Sardarpura", city: "Jodhpur", state: "Rajasthan", zip_code: "342003", country: "INDIA",
    tax_id: "08AAKCS4821M1ZT", registration: "U40106RJ2016PTC049871", certifications: "ISO 9001, ISO 45001, Electrical contractor class A",
  },
  {
    key: "deccan", name: "Deccan Solar Care",
    contact_person: "Venkatesh Reddy", contact_info: "+91 94400 63158", email: "venkatesh.reddy@deccansolar.example",
    address: "6-3-248, Road No. 1, Banjara Hills", city: "Hyderabad", state: "Telangana", zip_code: "500034", country: "INDIA",
    tax_id: "36AAHCD7319K1Z4", registration: "U74999TG2015PTC098342", certifications: "ISO 9001, ISO 14001",
  },
  {
    key: "vindhya", name: "Vindhya Clean Energy",
    contact_person: "Meera Tiwari", contact_info: "+91 94251 70894", email: "meera.tiwari@vindhyaclean.example",
    address: "22 Civil Lines", city: "Rewa", state: "Madhya Pradesh", zip_code: "486001", country: "INDIA",
    tax_id: "23AAGCV5507P1ZK", registration: "U40300MP2018PTC045526", certifications: "ISO 9001",
  },
  {
    key: "vaigai", name: "Vaigai Green Works",
    contact_person: "Karthik Subramanian", contact_info: "+91 98421 35760", email: "karthik@vaigaigreen.example",
    address: "117 Anna Nagar Main Road", city: "Madurai", state: "Tamil Nadu", zip_code: "625020", country: "INDIA",
    tax_id: "33AAFCV9024R1ZB", registration: "U93090TN2017PTC116208", certifications: "ISO 9001, ISO 45001",
  },
] as const;

export type DemoPartnerKey = (typeof demoPartners)[number]["key"];

/** The partner that the sign-in `partner` belongs to. */
export const demoSignInPartner: DemoPartnerKey = "suncare";

export interface DemoPark {
  readonly name: string;
  readonly address: string;
  readonly district: string;
  readonly state: string;
  readonly pin_code: string;
  readonly commissioning_date: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Null is In-house. */
  readonly partner: DemoPartnerKey | null;
  /** Of the part of the park that the demo's robots clean; invented. What is left out is not known. */
  readonly facts: Partial<EnergyFacts>;
}

/** Six real solar parks of India, at their real locations; who maintains them is invented. */
// Grouped lines are a table to read.
// oxfmt-ignore
export const demoParks: readonly DemoPark[] = [
  {
    name: "Bhadla Solar Park", address: "Bhadla, Phalodi tehsil",
    district: "Jodhpur", state: "Rajasthan", pin_code: "342301",
    commissioning_date: "2017-02-22", latitude: 27.539669, longitude: 71.915253, partner: "suncare",
    facts: { dc_capacity_kwp: 10_000, tilt_degrees: 25, azimuth_degrees: 180, performance_ratio_percent: 82, tariff_per_kwh: 2.5, currency: "INR", cleaning_price: 900, cleaning_price_per: "run", wet_wash_litres_per_kwp: 4 },
  },
  {
    name: "Pavagada Solar Park", address: "Tirumani, Nagalamadike hobli, Pavagada taluk",
    district: "Tumakuru", state: "Karnataka", pin_code: "561202",
    commissioning_date: "2018-01-31", latitude: 14.251944, longitude: 77.4475, partner: "suncare",
    facts: { dc_capacity_kwp: 6_500, tilt_degrees: 15, azimuth_degrees: 180, performance_ratio_percent: 80.5, tariff_per_kwh: 2.92, currency: "INR", cleaning_price: 0.9, cleaning_price_per: "kwp", cleaning_effectiveness_percent: 92 },
  },
  {
    name: "Kurnool Ultra Mega Solar Park", address: "Sakunala, Orvakal mandal",
    district: "Kurnool", state: "Andhra Pradesh", pin_code: "518010",
    commissioning_date: "2017-07-10", latitude: 15.681522, longitude: 78.283749, partner: "deccan",
    facts: { dc_capacity_kwp: 4_200, tilt_degrees: 16, azimuth_degrees: 180, performance_ratio_percent: 81, tariff_per_kwh: 2.45, currency: "INR", cleaning_price: 700, cleaning_price_per: "run", soiling_alert_percent: 3 },
  },
  {
    name: "Rewa Ultra Mega Solar", address: "Barseta Desh, Gurh tehsil",
    district: "Rewa", state: "Madhya Pradesh", pin_code: "486553",
    commissioning_date: "2020-01-03", latitude: 24.480278, longitude: 81.574444, partner: "vindhya",
    facts: { dc_capacity_kwp: 5_400, tilt_degrees: 22, azimuth_degrees: 180, performance_ratio_percent: 83, tariff_per_kwh: 2.97, currency: "INR", cleaning_price: 750, cleaning_price_per: "run", wet_wash_litres_per_kwp: 3.5 },
  },
  {
    name: "Kamuthi Solar Power Project", address: "Sengappadai, Kamuthi taluk",
    district: "Ramanathapuram", state: "Tamil Nadu", pin_code: "623603",
    commissioning_date: "2016-09-21", latitude: 9.347568, longitude: 78.392162, partner: "vaigai",
    facts: { dc_capacity_kwp: 8_000, tilt_degrees: 15, azimuth_degrees: 180 },
  },
  {
    name: "Charanka Solar Park", address: "Charanka, Santalpur taluka",
    district: "Patan", state: "Gujarat", pin_code: "385350",
    commissioning_date: "2012-04-19", latitude: 23.9, longitude: 71.2, partner: null,
    facts: {},
  },
];

const kinds = ["Solar Park", "Solar Farm", "Solar Power Plant", "Solar Project", "Solar Power Station"];
const TOWNS_OF_A_DISTRICT = 4;

/** How many parks can be invented without repeating a name. */
export const maxGeneratedParks = demoDistricts.length * TOWNS_OF_A_DISTRICT * kinds.length;

const sides = ["north", "east", "south", "west"];
/** Distance from the middle of the district in degrees, limited so that no park leaves its state or the land. */
const MIN_DISTANCE = 0.04;
const MAX_DISTANCE = 0.17;

/**
 * Invented parks at plausible places all over India. Deterministic: a longer list starts with the same parks. Throws
 * above `maxGeneratedParks`.
 */
export function generatedParks(count: number): DemoPark[] {
  return Array.from({ length: count }, (_, index) => generatedPark(index));
}

function generatedPark(index: number): DemoPark {
  const district = demoDistricts[index % demoDistricts.length];
  const lap = Math.floor(index / demoDistricts.length);
  const town = district?.towns[lap % TOWNS_OF_A_DISTRICT];
  if (district === undefined || town === undefined || index >= maxGeneratedParks)
    throw new Error(`There are no more than ${maxGeneratedParks} invented parks.`);
  const random = seededRandom(`park ${index}`);
  // Each town cycles through the kinds from a different start, so that names are unique.
  const kind = kinds[(Math.floor(lap / TOWNS_OF_A_DISTRICT) + index) % kinds.length];
  const [latitude, longitude] = placeIn(district, lap, random);
  return {
    name: `${town} ${kind}`,
    address: `${integerBetween(random, 2, 14)} km ${oneOf(random, sides)} of ${town}`,
    district: district.district,
    state: district.state,
    pin_code: `${district.pin}${String(integerBetween(random, 1, 399)).padStart(3, "0")}`,
    commissioning_date: `${integerBetween(random, 2013, 2024)}-${twoDigits(integerBetween(random, 1, 12))}-${twoDigits(integerBetween(random, 1, 28))}`,
    latitude,
    longitude,
    partner: oneOf(random, partnersOfState[district.state] ?? [null]),
    facts: inventedFacts(`facts of park ${index}`),
  };
}

/** Of nine parks in ten; of a few of these no money is known. */
function inventedFacts(seed: string): Partial<EnergyFacts> {
  const random = seededRandom(seed);
  if (random() < 0.1) return {};
  const capacity = oneOf(random, [200, 450, 1_200, 2_500, 5_000, 10_000, 20_000, 50_000]);
  const panels = {
    dc_capacity_kwp: capacity,
    tilt_degrees: integerBetween(random, 15, 25),
    azimuth_degrees: 180,
    performance_ratio_percent: integerBetween(random, 80, 84),
  };
  if (random() < 0.05) return panels;
  const money = { tariff_per_kwh: integerBetween(random, 250, 400) / 100, currency: "INR" };
  return random() < 0.7
    ? { ...panels, ...money, cleaning_price: integerBetween(random, 12, 36) * 25, cleaning_price_per: "run" }
    : { ...panels, ...money, cleaning_price: integerBetween(random, 4, 12) / 10, cleaning_price_per: "kwp" };
}

/** Parks of a district lie on a spiral around its middle, some kilometres apart. */
function placeIn({ at: [latitude, longitude] }: DemoDistrict, lap: number, random: () => number): [number, number] {
  const laps = TOWNS_OF_A_DISTRICT * kinds.length;
  const distance = MIN_DISTANCE + (MAX_DISTANCE - MIN_DISTANCE) * Math.sqrt((lap + random() * 0.5) / laps);
  // The golden angle never repeats a direction.
  const angle = lap * 2.399963 + latitude * 7;
  return [rounded(latitude + distance * Math.sin(angle)), rounded(longitude + distance * Math.cos(angle))];
}

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;
const twoDigits = (number: number): string => String(number).padStart(2, "0");
