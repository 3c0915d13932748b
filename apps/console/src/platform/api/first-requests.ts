// Runs while the console's scripts are still loading, as part of the page's first file: preloads the files that this
// page needs and no others, and requests its initial data. call.ts uses these answers. It imports nothing, to stay
// small; browser tests count requests, and so notice a path that no longer matches the contract.
(() => {
  const page = location.pathname.toLowerCase().replace(/\/+$/, "");
  /** The page of a message's link, which is for nobody in particular. */
  const isOpen = page === "/acknowledge" || page === "/unsubscribe";
  const token = isOpen ? null : tokenInUse();
  const answers: NonNullable<typeof suncrewFirstAnswers> = new Map();
  globalThis.suncrewFirstAnswers = answers;

  bringFiles();
  if (!isOpen) void request("/api/config");
  if (token !== null && (page === "" || page === "/dashboard")) requestDashboard();

  /** The stored token if it has not expired; the server decides whether it is valid. */
  function tokenInUse(): string | null {
    try {
      const stored = localStorage.getItem("token");
      const middle = stored?.split(".")[1] ?? "";
      const claims: unknown = JSON.parse(atob(middle.replaceAll("-", "+").replaceAll("_", "/")));
      const expiresAtMs = 1000 * Number(memberOf(claims, "exp"));
      return localStorage.getItem("user") !== null && expiresAtMs > Date.now() ? stored : null;
    } catch {
      return null;
    }
  }

  function bringFiles(): void {
    // The build writes them into the page; there are none during development.
    const files: unknown = JSON.parse(document.getElementById("page-files")?.textContent ?? "{}");
    const names = memberOf(files, isOpen ? page : token === null ? "sign-in" : page === "" ? "/dashboard" : page);
    for (const name of Array.isArray(names) ? names.map(String) : []) {
      const link = document.createElement("link");
      const isStyle = name.endsWith(".css");
      link.rel = isStyle ? "preload" : "modulepreload";
      if (isStyle) link.as = "style";
      link.crossOrigin = "";
      link.href = `/${name}`;
      document.head.append(link);
    }
  }

  function request(path: string): Promise<Response> {
    const headers = new Headers({ Accept: "application/json" });
    if (token !== null) headers.set("Authorization", `Bearer ${token}`);
    const answer = fetch(path, { headers });
    // Whoever uses the answer sees the failure.
    answer.catch(() => {});
    answers.set(path, { token, requestedAtMs: performance.now(), answer });
    return answer;
  }

  /** The sites, and the robots of the one that the page starts with. */
  function requestDashboard(): void {
    const params = new URLSearchParams(location.search);
    const named = params.get("site");
    const sites = request("/api/sites/details");
    const requestRobots = async () => {
      const answer = await sites;
      const list: unknown = answer.ok ? await answer.clone().json() : [];
      const ids = Array.isArray(list) ? list.map((site) => String(memberOf(site, "id"))) : [];
      const siteId = named === null ? ids[0] : ids.find((id) => id === named);
      if (siteId !== undefined) void request(`/api/robots/getRobotDetailsWithSettings/${siteId}`);
    };
    requestRobots().catch(() => {});
  }

  function memberOf(value: unknown, name: string): unknown {
    return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  }
})();
