import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { addressOf, dropExpiredSession, watchSession } from "./platform/session/session.ts";

dropExpiredSession(addressOf(location));
watchSession();

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console.");
createRoot(root).render(<App />);
