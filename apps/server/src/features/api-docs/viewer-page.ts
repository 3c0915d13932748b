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

/** Starts Swagger UI; a file of its own for the same reason. */
export const startScript = `SwaggerUIBundle({
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
});
`;
