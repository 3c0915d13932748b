import type { SectionType } from "@suncrew/contract/report-templates/report-templates.ts";
import { sections, type StoredSection } from "./template-sections.ts";

export interface SampleTemplate {
  readonly name: string;
  readonly description: string;
  readonly isActive: boolean;
  readonly sections: readonly StoredSection[];
}

/** §3: the three sample templates of every installation, which can be edited and deleted like any other. */
export const sampleTemplates: readonly SampleTemplate[] = [
  {
    name: "Monthly Site Report",
    description: "Everything about a site's month: performance, activity, robot health, maintenance and alerts",
    isActive: true,
    sections: withSections("performance", "activities", "robot_health", "maintenance", "alerts"),
  },
  {
    name: "Performance Only Report",
    description: "How long the robots were up, how much they cleaned and how well",
    isActive: true,
    sections: withSections("performance"),
  },
  {
    name: "Maintenance Report",
    description: "Robot health, maintenance that was due and done, and alerts",
    isActive: false,
    sections: withSections("maintenance", "robot_health", "alerts"),
  },
];

/** These sections with all their fields, in this order, followed by the others turned off. */
function withSections(...types: readonly SectionType[]): StoredSection[] {
  const off = sections.filter(({ type }) => !types.includes(type));
  const on = types.flatMap((type) => sections.filter((section) => section.type === type));
  return [...on, ...off].map(({ type, fields }) => {
    const enabled = types.includes(type);
    return { type, enabled, fields: fields.filter((one) => enabled || one.required).map(({ name }) => name) };
  });
}
