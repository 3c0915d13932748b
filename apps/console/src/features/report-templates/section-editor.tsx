import { ActionIcon, Badge, Checkbox, Switch } from "@mantine/core";
import type { TemplateSection } from "@suncrew/contract/report-templates/report-templates.ts";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { fieldSwitched, moved, switched } from "./template-draft.ts";
import classes from "./report-management.module.css";

export interface SectionEditorProps {
  readonly sections: readonly TemplateSection[];
  readonly onChange: (sections: readonly TemplateSection[]) => void;
}

/** §2 the five sections: each switched on or off, moved, and its fields chosen; required ones stay. */
export function SectionEditor({ sections, onChange }: SectionEditorProps) {
  return (
    <ol className={classes["sections"]} aria-label="Sections, in the order of the report">
      {sections.map((section, index) => (
        <li key={section.type} className={classes["section"]} data-off={!section.enabled || undefined}>
          <div className={classes["sectionHead"]}>
            <Switch
              label={section.name}
              checked={section.enabled}
              onChange={(event) => onChange(switched(sections, section.type, event.currentTarget.checked))}
            />
            <span className={classes["moves"]}>
              {/* Pressed until it is at the end, the button keeps the focus there. */}
              <DisabledReason reason={index === 0 ? "It is the first section." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${section.name} up`}
                  onClick={() => onChange(moved(sections, section.type, -1))}
                >
                  <IconChevronUp size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
              <DisabledReason reason={index === sections.length - 1 ? "It is the last section." : null}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Move ${section.name} down`}
                  onClick={() => onChange(moved(sections, section.type, 1))}
                >
                  <IconChevronDown size={16} aria-hidden />
                </ActionIcon>
              </DisabledReason>
            </span>
          </div>
          <ul className={classes["fields"]} aria-label={`Fields of ${section.name}`}>
            {section.fields.map((field) => (
              <li key={field.name} className={classes["field"]}>
                <Checkbox
                  size="sm"
                  label={field.label}
                  checked={field.enabled}
                  disabled={!section.enabled || field.required}
                  onChange={(event) =>
                    onChange(fieldSwitched(sections, section.type, field.name, event.currentTarget.checked))
                  }
                />
                {field.required && (
                  <Badge size="sm" variant="default" tt="none" fw={500} className={classes["required"]}>
                    Required
                  </Badge>
                )}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
