import { useDocumentTitle } from "@mantine/hooks";
import { useAttention, useLiveAttention } from "./use-attention.ts";

/** The tab's title, with the number of items that nobody has acknowledged: "(3) Dashboard - Suncrew". */
export function AttentionTitle({ title }: { readonly title: string }) {
  useLiveAttention();
  const { data } = useAttention();
  const open = data === undefined ? 0 : data.open.CRITICAL + data.open.WARNING + data.open.INFO;
  useDocumentTitle(open === 0 ? title : `(${open}) ${title}`);
  return null;
}
