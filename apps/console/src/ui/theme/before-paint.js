// Runs before anything is painted, as a file of its own because the content policy forbids inline
// scripts: the stored theme (browser key `theme`, default light) and, for the schema library, no eval.
(() => {
  let theme = "light";
  try {
    const stored = localStorage.getItem("theme");
    if (["light", "dark", "blue", "green", "purple"].includes(stored)) theme = stored;
  } catch {
    // Storage is switched off: the default stays.
  }
  // A wallboard is dark, whatever the person who opens it has chosen; its address may say otherwise.
  const address = location.pathname + location.search;
  const root = document.documentElement;
  if (/^\/(wall\b|dashboard\b.*\bview=wall\b)/i.test(address)) {
    theme = /theme=light\b/.test(address) ? "light" : "dark";
    root.dataset.fixedTheme = theme;
  }
  root.dataset.theme = theme;
  root.dataset.mantineColorScheme = theme === "dark" ? "dark" : "light";
  const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute("content");
  Object.assign(globalThis, {
    __zod_globalConfig: { jitless: true },
    // The modal's scroll lock inserts a style element and looks for its nonce here.
    __webpack_nonce__: nonce,
  });
})();
