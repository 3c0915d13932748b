import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";

export interface PartnerChoiceProps extends Omit<NativeSelectProps, "value" | "data" | "onChange"> {
  /** Null if none is chosen yet. */
  readonly value: number | null;
  readonly onChoose: (partnerId: number) => void;
}

/** The partners, In-house first: the operator itself. */
export function PartnerChoice({ value, onChoose, ...select }: PartnerChoiceProps) {
  const query = useQuery(routeQuery(partnerDetails, {}));
  const partners = (query.data ?? []).toSorted((one, other) => Number(other.built_in) - Number(one.built_in));
  return (
    <NativeSelect
      {...select}
      error={query.isError && query.data === undefined ? "The partners could not be loaded." : undefined}
      value={value ?? ""}
      data={[
        ...(value === null ? [{ value: "", label: "Choose a partner" }] : []),
        ...(value !== null && partners.length === 0 ? [{ value: String(value), label: "In-house" }] : []),
        ...partners.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    />
  );
}
