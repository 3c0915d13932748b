import { Box, Group, Switch, Tooltip } from "@mantine/core";
import { type ReportTemplate, reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { removeTemplate, setActive } from "./template-calls.ts";
import { sectionsText } from "./report-drafts.ts";
import { TemplateDialog } from "./template-dialog.tsx";
import { templateLook } from "./template-looks.ts";
import { RowAction } from "../../ui/row-action.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./report-management.module.css";

/** Shows the changes of other users and windows. */
const REFETCH_INTERVAL_MS = 10_000;
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** §2 Report Management: the templates, and the dialogs that change them. */
export function TemplatesTab() {
  const list = useQuery({ ...routeQuery(reportTemplates, {}), refetchInterval: REFETCH_INTERVAL_MS });
  const [deleting, setDeleting] = useState<ReportTemplate | null>(null);
  const [isCreating, setCreating] = useState(false);
  /** The edited template as it was when the dialog opened: the list may lose it. */
  const [edited, setEdited] = useState<ReportTemplate | null>(null);
  const found = list.data?.find(({ id }) => id === edited?.id) ?? null;
  return (
    <>
      <Group gap={0} align="stretch" justify="flex-end" wrap="nowrap" mb={10}>
        <ToolButton icon={IconPlus} variant="filled" onClick={() => setCreating(true)}>
          Create Template
        </ToolButton>
      </Group>
      <QueryState
        query={list}
        loading={<SkeletonLines label="Loading templates..." lines={3} />}
        failed="The templates could not be loaded."
      >
        {(templates) =>
          templates.length === 0 ? (
            <EmptyState title="No report templates" message="Without one a report has every section." />
          ) : (
            <TemplateTable templates={templates} onEdit={setEdited} onDelete={setDeleting} />
          )
        }
      </QueryState>
      {isCreating && list.data !== undefined && (
        <TemplateDialog template={null} others={list.data} isDeleted={false} onClose={() => setCreating(false)} />
      )}
      {edited !== null && (
        <TemplateDialog
          key={edited.id}
          template={found ?? edited}
          others={(list.data ?? []).filter((other) => other.id !== edited.id)}
          isDeleted={found === null && list.data !== undefined}
          onClose={() => setEdited(null)}
        />
      )}
      {deleting !== null && (
        <DeleteDialog
          title="Delete Template"
          blockedReason={null}
          onDelete={async () => {
            const refusal = await removeTemplate(deleting);
            if (refusal === null) setDeleting(null);
            return refusal;
          }}
          onClose={() => setDeleting(null)}
        >
          Delete the template "{deleting.name}"? This action cannot be undone. Reports generated with it are kept.
        </DeleteDialog>
      )}
    </>
  );
}

interface TemplateTableProps {
  readonly templates: readonly ReportTemplate[];
  readonly onEdit: (template: ReportTemplate) => void;
  readonly onDelete: (template: ReportTemplate) => void;
}

function TemplateTable({ templates, onEdit, onDelete }: TemplateTableProps) {
  return (
    <table className={`${shared["card"]} ${classes["table"]}`} aria-label="Report templates">
      <thead>
        <tr>
          {["Name", "Description", "Sections", "Status", "Created", "Actions"].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {templates.map((template) => (
          <TemplateRow key={template.id} template={template} onEdit={onEdit} onDelete={onDelete} />
        ))}
      </tbody>
    </table>
  );
}

function TemplateRow({
  template,
  onEdit,
  onDelete,
}: Omit<TemplateTableProps, "templates"> & { template: ReportTemplate }) {
  const { name, description, sections, isActive, createdAt, createdBy } = template;
  // Not disabled while busy, so that it keeps the focus.
  const [isBusy, run] = useBusy();
  return (
    <tr>
      <th scope="row" style={{ "--area": "name" }}>
        {name}
      </th>
      <Box component="td" c="dimmed" style={{ "--area": "description" }}>
        {description}
      </Box>
      <td style={{ "--area": "sections" }}>{sectionsText(sections)}</td>
      <td style={{ "--area": "status" }}>
        <StateBadge look={templateLook[isActive ? "active" : "inactive"]} />
      </td>
      <td title={`By ${createdBy}`} style={{ "--area": "created" }}>
        {day.format(new Date(createdAt))}
      </td>
      <td style={{ "--area": "actions" }}>
        <span className={classes["actions"]}>
          <Tooltip label={isActive ? "Deactivate" : "Activate"}>
            <Switch
              aria-label={`${name} is active`}
              checked={isActive}
              aria-busy={isBusy}
              onChange={() => void run(() => setActive(template, !isActive))}
            />
          </Tooltip>
          <RowAction
            label="Edit"
            name={`Edit ${name}`}
            icon={IconPencil}
            iconPx={16}
            onPress={() => onEdit(template)}
          />
          <RowAction
            label="Delete"
            name={`Delete ${name}`}
            icon={IconTrash}
            iconPx={16}
            isDestructive
            onPress={() => onDelete(template)}
          />
        </span>
      </td>
    </tr>
  );
}
