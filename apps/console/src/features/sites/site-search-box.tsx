import { SearchBox } from "../../ui/search-box.tsx";

export interface SiteSearchBoxProps {
  readonly value: string;
  readonly onChange: (words: string) => void;
  /** What may be typed, where it is more than a site's name. */
  readonly placeholder?: string;
}

/** §2 Search sites box. */
export function SiteSearchBox({ value, onChange, placeholder = "Search sites" }: SiteSearchBoxProps) {
  return <SearchBox label="Search sites" placeholder={placeholder} value={value} onChange={onChange} />;
}
