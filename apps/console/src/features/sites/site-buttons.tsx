import classes from "./map-panel.module.css";
import type { SiteChoice } from "./map-panel.tsx";
import { SiteList } from "./site-list.tsx";
import { SiteSearchBox } from "./site-search-box.tsx";

/** Half a row more shows that the list goes on. */
const MAX_ROWS = 4.5;

/** §2 With the map hidden: site buttons and a Search sites box. */
export function SiteButtons({ found, selectedId, search, onSelect, onSearch }: Omit<SiteChoice, "sites">) {
  return (
    <section className={classes["panel"]} aria-label="Sites">
      <SiteSearchBox value={search} onChange={onSearch} />
      {found.length === 0 ? (
        <p className={classes["none"]} role="status">
          No sites match.
        </p>
      ) : (
        <SiteList
          label="Site buttons"
          sites={found}
          selectedId={selectedId}
          onSelect={onSelect}
          framed
          maxRows={MAX_ROWS}
        />
      )}
    </section>
  );
}
