import { Badge, Box, TextInput, UnstyledButton } from "@mantine/core";
import { partnerDetails, type Partner } from "@suncrew/contract/partners/partners.ts";
import { IconCheck, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./partner-picker.module.css";
import { partnersFound } from "./partner-model.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

export interface PartnerPickerProps {
  /** The current partner; null for none. */
  readonly chosenId: number | null;
  /** Null for no partner: the contact is entered manually. */
  readonly onChoose: (partner: Partner | null) => void;
  readonly onClose: () => void;
}

/** §2 Select Maintenance Partner picker. */
export function PartnerPicker({ chosenId, onChoose, onClose }: PartnerPickerProps) {
  const query = useQuery(routeQuery(partnerDetails, {}));
  const [search, setSearch] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const found = partnersFound(query.data ?? [], search);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const choices = [...(list.current?.querySelectorAll("button") ?? [])];
    const at = choices.findIndex((choice) => choice === document.activeElement);
    choices[Math.max(0, Math.min(choices.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  };

  return (
    <Dialog onClose={onClose} title="Select Maintenance Partner" size={480}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading partners" lines={5} lineHeightPx={48} />}
        failed="The partners could not be loaded."
      >
        {() => (
          // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- arrow keys move from the box to the list
          <div onKeyDown={onKeyDown}>
            <TextInput
              type="search"
              aria-label="Search partners"
              placeholder="Search by name, contact or city"
              value={search}
              data-autofocus
              leftSection={<IconSearch size={16} aria-hidden />}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
            <ul ref={list} className={classes["list"]} aria-label="Maintenance partners">
              <Choice
                title="Enter contact manually"
                facts="Contact, phone and email are typed for this site."
                isChosen={chosenId === null}
                onPress={() => onChoose(null)}
              />
              {found.map((partner) => (
                <Choice
                  key={partner.id}
                  title={partner.name}
                  facts={[partner.contact_person, partner.city].filter((text) => (text ?? "") !== "").join(" · ")}
                  isBuiltIn={partner.built_in}
                  isChosen={partner.id === chosenId}
                  onPress={() => onChoose(partner)}
                />
              ))}
            </ul>
            {found.length === 0 && (
              <Box component="p" p={10} fz={13} c="dimmed" role="status">
                No partners match.
              </Box>
            )}
          </div>
        )}
      </QueryState>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly facts: string;
  readonly isBuiltIn?: boolean;
  readonly isChosen: boolean;
  readonly onPress: () => void;
}

function Choice({ title, facts, isBuiltIn = false, isChosen, onPress }: ChoiceProps) {
  return (
    <li>
      <UnstyledButton className={`${shared["choice"]} ${classes["choice"]}`} aria-current={isChosen} onClick={onPress}>
        <Box component="span" display="flex" miw={0} style={{ flexDirection: "column" }}>
          <Box component="span" fz={13} fw={600} lh="18px" style={{ overflowWrap: "anywhere" }}>
            {title}
            {isBuiltIn && (
              <Badge size="xs" variant="default" ml={6}>
                Built in
              </Badge>
            )}
          </Box>
          {facts !== "" && <span className={`${shared["muted"]} ${classes["facts"]}`}>{facts}</span>}
        </Box>
        {isChosen && <IconCheck size={18} aria-label="Current choice" />}
      </UnstyledButton>
    </li>
  );
}
