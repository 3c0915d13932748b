import { Box, Button, Group as Row, Menu, TextInput } from "@mantine/core";
import { IconBookmark, IconCheck, IconEdit, IconLink, IconTrash } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "react-router";
import { copyText } from "../../platform/copy-button.tsx";
import { paths } from "../../platform/paths.ts";
import { toast } from "../../platform/toast.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { isSameName, type SavedView, useSavedViews, VIEW_NAME_MAX, withView } from "./saved-views.ts";
import classes from "./views-menu.module.css";

const addressOf = ({ search }: SavedView) => (search === "" ? paths.robots() : `${paths.robots()}?${search}`);

/** Saved views: each is an address with a name, kept in this browser. */
export function ViewsMenu() {
  const [views] = useSavedViews();
  const [isOpen, setOpen] = useState(false);
  const search = useLocation().search.slice(1);
  const copy = async () => {
    if (await copyText(location.href)) toast.copied("Link");
    else toast.failure({ title: "Not Copied", message: "Copy the address of this page by hand." });
  };
  return (
    <>
      <Menu position="bottom-end" width={260} classNames={{ dropdown: classes["dropdown"] ?? "" }}>
        <Menu.Target>
          <ToolButton icon={IconBookmark}>Views{views.length === 0 ? "" : ` (${views.length})`}</ToolButton>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length > 0 && (
            <>
              {views.map((view) => (
                <Menu.Item
                  key={view.name}
                  component={Link}
                  to={addressOf(view)}
                  aria-current={view.search === search || undefined}
                  rightSection={view.search === search ? <IconCheck size={14} aria-hidden /> : undefined}
                >
                  {view.name}
                </Menu.Item>
              ))}
              <Menu.Divider />
            </>
          )}
          <Menu.Item leftSection={<IconBookmark size={14} aria-hidden />} onClick={() => setOpen(true)}>
            {views.length === 0 ? "Save this view" : "Save or manage views"}
          </Menu.Item>
          <Menu.Item leftSection={<IconLink size={14} aria-hidden />} onClick={() => void copy()}>
            Copy link
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isOpen && <ViewsDialog search={search} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ViewsDialogProps {
  /** The query of the page's address now. */
  readonly search: string;
  readonly onClose: () => void;
}

function ViewsDialog({ search, onClose }: ViewsDialogProps) {
  const [views, store] = useSavedViews();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [renamed, setRenamed] = useState<SavedView | null>(null);
  const isTaken = views.some((view) => isSameName(view.name, name));
  const keep = (next: readonly SavedView[]) => {
    const isStored = store(next);
    setProblem(isStored ? null : "This browser does not keep it: its storage is full or blocked.");
    return isStored;
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return setProblem("Please enter a name.");
    if (keep(withView(views, { name: name.trim(), search }))) onClose();
  };
  return (
    <Dialog onClose={onClose} title="Saved views">
      <form onSubmit={save} noValidate>
        <Row gap={8} align="flex-start">
          <TextInput
            flex={1}
            label="Save this view as"
            description="Search, filters, order and columns. Kept in this browser."
            value={name}
            maxLength={VIEW_NAME_MAX}
            error={problem}
            autoComplete="off"
            data-autofocus
            onChange={(event) => {
              setName(event.currentTarget.value);
              setProblem(null);
            }}
          />
          <Button type="submit" mt={44}>
            {isTaken ? "Replace" : "Save"}
          </Button>
        </Row>
      </form>
      {views.length > 0 && (
        <Box component="ul" mt="md" aria-label="Saved views" className={classes["views"]}>
          {views.map((view) =>
            renamed?.name === view.name ? (
              <li key={view.name} className={classes["view"]}>
                <RenameForm
                  view={view}
                  isTaken={(other) => views.some((one) => one !== view && isSameName(one.name, other))}
                  onRename={(other) => {
                    const rest = views.filter((one) => one.name !== view.name);
                    if (keep(withView(rest, { ...view, name: other }))) setRenamed(null);
                  }}
                  onCancel={() => setRenamed(null)}
                />
              </li>
            ) : (
              <li key={view.name} className={classes["view"]}>
                <Link to={addressOf(view)} className={classes["name"]} onClick={onClose}>
                  {view.name}
                </Link>
                <IconButton
                  label="Rename"
                  aria-label={`Rename ${view.name}`}
                  icon={IconEdit}
                  variant="subtle"
                  color="gray"
                  onClick={() => setRenamed(view)}
                />
                <IconButton
                  label="Delete"
                  aria-label={`Delete ${view.name}`}
                  icon={IconTrash}
                  variant="subtle"
                  color="gray"
                  onClick={() => keep(views.filter((one) => one.name !== view.name))}
                />
              </li>
            ),
          )}
        </Box>
      )}
    </Dialog>
  );
}

interface RenameFormProps {
  readonly view: SavedView;
  readonly isTaken: (name: string) => boolean;
  readonly onRename: (name: string) => void;
  readonly onCancel: () => void;
}

function RenameForm({ view, isTaken, onRename, onCancel }: RenameFormProps) {
  const [name, setName] = useState(view.name);
  const problem = name.trim() === "" ? "Please enter a name." : isTaken(name) ? "Another view has this name." : null;
  return (
    <form
      className={classes["rename"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onRename(name.trim());
      }}
    >
      <TextInput
        flex={1}
        size="xs"
        aria-label={`New name of ${view.name}`}
        value={name}
        maxLength={VIEW_NAME_MAX}
        error={problem}
        autoFocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button size="xs" type="submit">
        Rename
      </Button>
      <Button size="xs" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
