import { Anchor, Box, Button, Group, TextInput } from "@mantine/core";
import {
  createWallboardLink,
  WALLBOARD_NAME_MAX,
  type WallboardLink,
  wallboardLinks,
  withdrawWallboardLink,
} from "@suncrew/contract/wallboard/wallboard.ts";
import { IconUnlink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change, refusalIn } from "../../platform/api/change.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { CopyButton } from "../../platform/copy-button.tsx";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { DeleteDialog } from "../../ui/delete-dialog.tsx";
import { Dialog, useIsNarrow } from "../../ui/dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RowAction } from "../../ui/row-action.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./links-dialog.module.css";

const ROW_PX = 48;
const NARROW_ROW_PX = 92;
const NAME_NEEDED = "Name is required";

const lists = [queryKeyOf(wallboardLinks)];

/** Where links to wallboards are made and withdrawn. */
export function WallboardLinksDialog({ onClose }: { readonly onClose: () => void }) {
  const isNarrow = useIsNarrow();
  const query = useQuery({ ...routeQuery(wallboardLinks, {}), refetchOnMount: "always" });
  const [made, setMade] = useState<{ readonly name: string; readonly address: string } | null>(null);
  const [leaving, setLeaving] = useState<WallboardLink | null>(null);
  return (
    <Dialog onClose={onClose} title="Wallboard Links" size={720}>
      <Box component="p" fz={13} c="dimmed" mb="sm">
        A link signs a screen in to the wallboard of the sites that you see. It can only read, until you withdraw it. In
        this browser,{" "}
        <Anchor href={paths.wallboard()} fz="inherit" underline="always">
          open the wallboard
        </Anchor>{" "}
        without one.
      </Box>
      {made === null ? <NewLink onMade={setMade} /> : <MadeLink {...made} onDone={() => setMade(null)} />}
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading links" lines={3} lineHeightPx={40} />}
        failed="The links could not be loaded."
      >
        {(links) =>
          links.length === 0 ? (
            <p className={shared["muted"]}>No links yet.</p>
          ) : (
            <VirtualTable
              label="Wallboard links"
              columns={["Name", "Made by", "Made", "Last used", "Actions"]}
              rows={links}
              keyOf={({ id }) => id}
              rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
              isNarrow={isNarrow}
              className={classes["table"]}
              rowClassName={classes["row"]}
            >
              {(link) => <LinkCells link={link} onWithdraw={() => setLeaving(link)} />}
            </VirtualTable>
          )
        }
      </QueryState>
      {leaving !== null && (
        <DeleteDialog
          title="Withdraw Link"
          blockedReason={null}
          onDelete={async () => {
            const refusal = await withdraw(leaving);
            if (refusal === null) setLeaving(null);
            return refusal;
          }}
          onClose={() => setLeaving(null)}
        >
          <p>
            Screens that <strong>{leaving.name}</strong> signed in show nothing more, at once. The link cannot be used
            again.
          </p>
        </DeleteDialog>
      )}
    </Dialog>
  );
}

async function withdraw({ id, name }: WallboardLink) {
  const outcome = await change({
    send: () => call(withdrawWallboardLink, { params: { linkId: id } }),
    invalidates: lists,
    success: ({ message }) => ({ title: "Link Withdrawn", message }),
    failure: null,
  });
  return refusalIn(outcome, `The link to ${name} was not withdrawn.`);
}

function NewLink({ onMade }: { readonly onMade: (made: { name: string; address: string }) => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, run] = useBusy();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmed = name.trim();
    if (trimmed === "") return setProblem(NAME_NEEDED);
    return run(async () => {
      const outcome = await change({
        send: () => call(createWallboardLink, { body: { name: trimmed } }),
        invalidates: lists,
        success: null,
        failure: { title: "Link Not Made", message: `${trimmed} has no link.` },
      });
      if (outcome.kind !== "done") return;
      onMade({ name: trimmed, address: `${location.origin}${paths.wall()}#${outcome.answer.token}` });
    });
  };
  return (
    <form noValidate className={classes["form"]} onSubmit={(event) => void submit(event)}>
      <TextInput
        label="Name of the screen"
        data-autofocus
        autoComplete="off"
        maxLength={WALLBOARD_NAME_MAX}
        placeholder="Control room"
        value={name}
        error={problem}
        onChange={({ currentTarget: { value } }) => {
          setName(value);
          setProblem(null);
        }}
      />
      <Button type="submit" loading={isBusy}>
        Make Link
      </Button>
    </form>
  );
}

function MadeLink(props: { readonly name: string; readonly address: string; readonly onDone: () => void }) {
  const { name, address, onDone } = props;
  const made = useRef<HTMLDivElement>(null);
  // The button that made it is gone, and the focus with it.
  useEffect(() => made.current?.focus(), []);
  return (
    <div ref={made} className={classes["made"]} tabIndex={-1}>
      <ShownOnce message={`The link to ${name} was made.`}>
        Open it on the screen now: it cannot be shown again. Whoever has it sees your sites, until you withdraw it.
      </ShownOnce>
      <Group gap="xs" wrap="nowrap" mt="sm">
        <code className={classes["address"]}>{address}</code>
        <CopyButton what="Link" text={address} />
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </div>
  );
}

function LinkCells({ link, onWithdraw }: { readonly link: WallboardLink; readonly onWithdraw: () => void }) {
  const { name, made_by: maker, created_at: made, last_used_at: used } = link;
  return (
    <>
      <Cell area="name" isCut title={name} className={classes["name"]}>
        {name}
      </Cell>
      <Cell area="maker" isCut title={maker}>
        {maker}
      </Cell>
      <Cell area="made" className={shared["muted"]}>
        <RelativeTime at={made} />
      </Cell>
      <Cell area="used" className={shared["muted"]}>
        {used === null ? "Never" : <RelativeTime at={used} />}
      </Cell>
      <Cell area="actions" className={classes["actions"]}>
        <RowAction label="Withdraw" name={`Withdraw ${name}`} icon={IconUnlink} isDestructive onPress={onWithdraw} />
      </Cell>
    </>
  );
}
