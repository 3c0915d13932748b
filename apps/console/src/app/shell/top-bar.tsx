import { Burger, Menu } from "@mantine/core";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { BrandMark } from "../../ui/brand-mark.tsx";
import { LiveIndicator } from "./live-indicator.tsx";
import { useNavigation } from "./navigation.ts";
import classes from "./top-bar.module.css";
import { UserMenu } from "./user-menu.tsx";

/** §2 Top navigation bar. On a narrow screen its links fold into a menu. */
export function TopBar() {
  const links = useNavigation();
  return (
    <div className={classes["bar"]}>
      <div className={classes["folded"]}>
        <Menu position="bottom-start" width={220} withinPortal={false}>
          <Menu.Target>
            <Burger size="sm" color="var(--sc-nav-text)" aria-label="Open navigation" />
          </Menu.Target>
          <Menu.Dropdown>
            {links.map((link) => (
              <Menu.Item
                key={link.label}
                component={Link}
                to={link.to}
                aria-current={link.current ? "page" : undefined}
                className={classes["item"]}
              >
                {link.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <Link to={paths.signIn()} className={classes["brand"]} aria-label="Suncrew">
        <BrandMark />
        <span className={classes["name"]}>Suncrew</span>
      </Link>
      <nav className={classes["links"]} aria-label="Main">
        {links.map((link) => (
          <Link
            key={link.label}
            to={link.to}
            className={classes["link"]}
            aria-current={link.current ? "page" : undefined}
          >
            {link.label}
          </Link>
        ))}
      </nav>
      <div className={classes["end"]}>
        <LiveIndicator />
        <UserMenu />
      </div>
    </div>
  );
}
