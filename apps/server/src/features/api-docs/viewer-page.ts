/** The page of the viewer. It loads files only: the content policy allows neither scripts nor styles in it. */
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
      <span id="who"></span>
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
 * Starts Swagger UI; a file of its own for the same reason. Who is signed in to the console in this browser makes the calls
 * of "Try it out", unless another token is given under Authorize.
 */
export const startScript = `const who = () => {
  try {
    const [token, user] = [localStorage.getItem("token"), JSON.parse(localStorage.getItem("user") ?? "null")];
    return token === null || user === null ? null : { token, name: String(user.name) };
  } catch {
    return null;
  }
};
const showWho = () => {
  const name = who()?.name;
  document.getElementById("who").textContent =
    name === undefined ? "Not signed in: sign in at the console to try calls out." : "Calls are made as " + name + ".";
};
showWho();
addEventListener("storage", showWho);
SwaggerUIBundle({
  url: "/api/docs/openapi.json",
  dom_id: "#calls",
  // A link in each call's button would be a control within a control.
  deepLinking: false,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // Nobody outside is asked whether the document is valid.
  validatorUrl: null,
  requestInterceptor: (request) => {
    const token = who()?.token;
    const isHere = new URL(request.url, location.href).origin === location.origin;
    if (token !== undefined && isHere && request.headers.Authorization === undefined)
      request.headers.Authorization = "Bearer " + token;
    return request;
  },
});
`;
