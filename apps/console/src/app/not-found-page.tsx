import { Link } from "react-router";
import { paths } from "../platform/paths.ts";

/** §2 Routes: any other path. */
export function NotFoundPage() {
  return (
    <main>
      <h1>Oops! Page not found</h1>
      <Link to={paths.signIn()}>Return to Home</Link>
    </main>
  );
}
