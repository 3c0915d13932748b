/** The page of the viewer. It only loads files: the content policy allows neither scripts nor styles in it. */
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API - Suncrew</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/api/docs/swagger-ui.css">
    <link rel="stylesheet" href="/api/docs/look.css">
  </head>
  <body>
    <header class="bar">
      <h1>Suncrew API</h1>
      <a href="/">Console</a>
      <span id="who" role="status"></span>
      <nav aria-label="Documents">
        <a href="/api/docs/openapi.json">OpenAPI document</a>
        <a href="/api/docs/asyncapi.json">AsyncAPI document (robots, MQTT)</a>
      </nav>
    </header>
    <div id="calls"><p class="nothing">This page needs JavaScript; the documents above do not.</p></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Starts Swagger UI; a file of its own for the same reason. With the session of the console in this browser it reads
 * the documents, for which a link cannot send a token, and makes the calls of "Try it out", unless another token is
 * given under Authorize.
 */
export const startScript = `const who = () => {
  try {
    const [token, user] = [localStorage.getItem("token"), JSON.parse(localStorage.getItem("user") ?? "null")];
    return token === null || user === null ? null : { token, name: String(user.name) };
  } catch {
    return null;
  }
};
const say = (text) => (document.getElementById("who").textContent = text);
const showWho = () => {
  const name = who()?.name;
  say(name === undefined ? "Not signed in: sign in at the console to try calls out." : "Calls are made as " + name + ".");
};
showWho();

/** The file, or a message if it is not available. */
const load = async (path) => {
  const token = who()?.token;
  try {
    const answer = await fetch(path, token === undefined ? {} : { headers: { Authorization: "Bearer " + token } });
    if (answer.ok) return { file: await answer.blob() };
    if (answer.status === 401) return { problem: "Sign in at the console to read the documents." };
    const body = await answer.json().catch(() => null);
    return { problem: "The document could not be loaded. " + (body?.message ?? "") };
  } catch {
    return { problem: "Network error. Please check your connection." };
  }
};

addEventListener("click", async (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href^='/api/docs/'][href$='.json']") : null;
  if (link === null) return;
  event.preventDefault();
  const path = link.getAttribute("href");
  const { file, problem } = await load(path);
  if (problem !== undefined) return say(problem);
  const saving = document.createElement("a");
  saving.href = URL.createObjectURL(file);
  saving.download = path.split("/").at(-1);
  saving.click();
  setTimeout(() => URL.revokeObjectURL(saving.href), 60_000);
});

const calls = document.getElementById("calls");
let isShown = false;
const show = async () => {
  const { file, problem } = await load("/api/docs/openapi.json");
  if (isShown) return;
  if (problem !== undefined) {
    calls.innerHTML = '<p class="nothing" role="status"></p>';
    calls.firstChild.textContent = problem;
    return;
  }
  isShown = true;
  SwaggerUIBundle({
    spec: JSON.parse(await file.text()),
    dom_id: "#calls",
    // A link in each call's button would be a control within a control.
    deepLinking: false,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    // No external service is asked whether the document is valid.
    validatorUrl: null,
    requestInterceptor: (request) => {
      const token = who()?.token;
      const isHere = new URL(request.url, location.href).origin === location.origin;
      if (token !== undefined && isHere && request.headers.Authorization === undefined)
        request.headers.Authorization = "Bearer " + token;
      return request;
    },
  });
};
show();
// Signing in at the console in another tab makes the calls available here.
addEventListener("storage", () => {
  showWho();
  if (!isShown) show();
});
`;
