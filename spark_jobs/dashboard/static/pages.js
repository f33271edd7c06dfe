"use strict";
// The pages: the address says what is shown, so that a link, a reload and the back button show it again.
(() => {
  const { element, visible } = Lagoon;
  const KEPT = ["page", "cluster", "day", "range", "group", "topic"], HALF = new Set(["bars", "lines", "heatmap"]);
  const embedded = document.getElementById("report-data"), file = embedded ? JSON.parse(embedded.textContent) : null;
  let pages = [], choices = { clusters: [], days: [], groups: [], topics: [], built: true }, shownFor = 0, loading = null;

  const read = () => Object.fromEntries([...new URLSearchParams(location.search)].filter(([key]) => KEPT.includes(key)));
  let state = {};
  function address(change) {
    const wanted = { ...state, ...change }, query = new URLSearchParams();
    for (const key of KEPT) {
      if ((key === "group" && wanted.page !== "group") || (key === "topic" && wanted.page !== "topic") || !wanted[key]) continue;
      query.set(key, wanted[key]);
    }
    return `?${query}${change.panel ? `#${change.panel}` : ""}`;
  }
  function go(change) {
    history.pushState(null, "", address(change));
    show();
  }

  async function ask(path, signal) {
    const answer = await fetch(path, { signal, credentials: "same-origin" });
    const isJson = (answer.headers.get("content-type") || "").includes("json");
    if (!answer.ok) throw new Error(isJson ? (await answer.json()).error : await answer.text());
    return answer.json();
  }

  const DRAW = { numbers: "numbers", findings: "findings", table: "table", bars: "bars", lines: "lines", heatmap: "heatmap", timeline: "timeline", story: "story" };
  function contentOf(panel, data, context, asTable) {
    if (data.missing) return element("p", { class: "empty" }, `This lake has no table ${data.missing} yet. \`lagoon run\` builds it with the next delivery.`);
    if (!data.rows.length) return element("p", { class: "empty" }, panel.empty);
    return Lagoon[asTable ? "table" : DRAW[panel.draw]](data, context);
  }

  function sqlBox(data) {
    const pre = element("pre", { tabindex: "0" }, data.sql);
    const copy = element("button", { onclick: async () => {
      try { await navigator.clipboard.writeText(data.sql); copy.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(pre); copy.textContent = "Selected: press Ctrl-C"; }
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    } }, "Copy");
    return element("div", { class: "sql" }, pre, copy);
  }

  // Two charts stand side by side; one alone takes the whole width.
  function isHalf(page, panel) {
    const before = page.panels.slice(0, page.panels.indexOf(panel)).reverse().findIndex((each) => !HALF.has(each.draw));
    const run = before < 0 ? page.panels.indexOf(panel) : before, next = page.panels[page.panels.indexOf(panel) + 1];
    return HALF.has(panel.draw) && (run % 2 === 1 || Boolean(next && HALF.has(next.draw)));
  }

  function panelBox(page, panel, query) {
    const body = element("div", { class: "body loading", "data-draw": panel.draw, "aria-busy": "true" }), tools = element("span");
    const box = element("section", { class: `panel ${isHalf(page, panel) ? "half" : ""}`, id: panel.name, "aria-label": panel.title }, element("div", { class: "title" }, element("h2", {}, panel.title), tools), panel.about ? element("p", { class: "about" }, panel.about) : null, body);
    const context = { panel, title: panel.title, day: state.day, page: page.name, link: file ? null : address, isFile: Boolean(file) };
    return { box, fill(data) {
      body.className = "body";
      body.removeAttribute("aria-busy");
      let asTable = false;
      const draw = () => body.replaceChildren(contentOf(panel, data, context, asTable));
      let sql = null;
      const sqlButton = element("button", { class: "quiet", "aria-expanded": "false", title: "The query of this panel, as `lagoon sql` runs it", onclick: () => {
        if (sql) { sql.remove(); sql = null; } else { sql = sqlBox(data); body.before(sql); }
        sqlButton.setAttribute("aria-expanded", String(Boolean(sql)));
      } }, "SQL");
      if (HALF.has(panel.draw) && data.rows.length) tools.append(element("button", { class: "quiet", "aria-pressed": "false", onclick: (event) => { asTable = !asTable; event.currentTarget.setAttribute("aria-pressed", String(asTable)); draw(); } }, "Table"));
      tools.append(sqlButton);
      if (!file && data.rows.length) tools.append(element("a", { class: "quiet", href: `/csv/${page.name}/${panel.name}.csv?${query}`, download: true, title: "All rows, for spreadsheets" }, "CSV"));
      draw();
    }, fail(message) {
      body.className = "body";
      body.removeAttribute("aria-busy");
      body.replaceChildren(element("p", { class: "failed", role: "alert" }, visible(message)));
    } };
  }

  // What a page is about, and of data quality where Great Expectations' pages are.
  function about(page, dataDocs) {
    const link = page.name === "quality" && dataDocs ? element("a", { href: dataDocs, target: "_blank", rel: "noopener" }, "Data Docs: every rule with samples, by day") : null;
    return element("p", { class: "about" }, page.about, link ? " " : null, link);
  }

  function title(page) {
    const of = page.name === "group" ? state.group : page.name === "topic" ? state.topic : null;
    document.title = `${of ? `${visible(of)} · ` : ""}${page.title} · Lagoon`;
    return element("div", {}, element("h1", {}, of ? element("bdi", {}, visible(of)) : page.title), about(page, "/data_docs/"));
  }

  const askChoices = (wanted, signal) => ask(`/api/choices?${new URLSearchParams(Object.entries({ cluster: wanted.cluster, day: wanted.day }).filter(([, value]) => value))}`, signal);
  // The first choices are asked for together with the pages.
  let first = null;

  async function show() {
    const turn = ++shownFor;
    loading?.abort();
    loading = new AbortController();
    const signal = loading.signal, wanted = read();
    main.setAttribute("aria-busy", "true");
    try {
      const known = [[undefined, undefined], [choices.cluster, undefined], [choices.cluster, choices.day]].some(([cluster, day]) => cluster === wanted.cluster && day === wanted.day) && choices.clusters.length;
      const early = first;
      first = null;
      if (!known || (choices.asked.day && !wanted.day) || (choices.asked.cluster && !wanted.cluster)) {
        const found = await (early || askChoices(wanted, signal));
        if (turn !== shownFor) return;
        choices = { ...found, cluster: wanted.cluster || found.clusters[0], day: wanted.day || found.days[0], asked: wanted };
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      main.removeAttribute("aria-busy");
      main.replaceChildren(element("p", { class: "failed", role: "alert" }, visible(error.message)));
      return;
    }
    main.removeAttribute("aria-busy");
    const page = pages.find((each) => each.name === wanted.page) || pages[0];
    state = { ...wanted, page: page.name, cluster: wanted.cluster || choices.clusters[0], day: wanted.day || choices.days[0] };
    if (page.name === "group" && !state.group) state.group = choices.groups[0];
    if (page.name === "topic" && !state.topic) state.topic = choices.topics[0];
    nav.replaceChildren(...pages.map((each) => element("a", { href: address({ page: each.name }), "data-inside": true, "aria-current": each.name === page.name ? "page" : null }, each.title)));
    nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!choices.clusters.length) {
      main.replaceChildren(element("h1", {}, "Nothing to show yet"), element("p", { class: "empty" }, "Gold has no day of any consumer group. Deliver telemetry, then run `lagoon run`; `lagoon doctor` says what is missing."));
      return;
    }
    const query = address({ page: page.name }).slice(1), boxes = page.panels.map((panel) => panelBox(page, panel, query));
    main.replaceChildren(element("div", { class: "head" }, title(page), Lagoon.pickers(page, state, choices, go)), element("div", { class: "grid" }, ...boxes.map((each) => each.box)));
    if (!location.hash) scrollTo(0, 0);
    const answers = page.panels.map(async (panel, index) => {
      try {
        const data = await ask(`/api/panel/${page.name}/${panel.name}?${query}`, signal);
        if (turn === shownFor) boxes[index].fill(data);
      } catch (error) {
        if (error.name !== "AbortError" && turn === shownFor) boxes[index].fail(error.message);
      }
    });
    await Promise.all(answers);
    if (turn === shownFor) {
      document.documentElement.dataset.ready = String(turn);
      if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    }
  }

  function showFile() {
    state = { cluster: file.cluster, day: file.day };
    document.title = `Lagoon · ${visible(file.cluster)} · ${file.day}`;
    nav.replaceChildren(...file.pages.map((page) => element("a", { href: `#page-${page.name}` }, page.title)));
    main.replaceChildren(element("div", { class: "head" }, element("div", {}, element("h1", {}, element("bdi", {}, `${visible(file.cluster)}, ${file.day}`)), element("p", { class: "about" }, `The day in UTC, as the lake held it at ${file.written_at}. Nothing is loaded from anywhere: this file has it all.`))));
    for (const page of file.pages) {
      const boxes = page.panels.map((panel) => { const box = panelBox(page, panel, ""); box.box.id = `${page.name}-${panel.name}`; box.fill(panel.data); return box.box; });
      main.append(element("h1", { id: `page-${page.name}` }, page.title), about(page, file.data_docs), element("div", { class: "grid" }, ...boxes));
    }
    document.documentElement.dataset.ready = "1";
  }

  const THEMES = { light: "dark", dark: "light" };
  function theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)"), current = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    try { const kept = localStorage.getItem("theme"); if (kept in THEMES) document.documentElement.dataset.theme = kept; } catch { /* a file may have no storage */ }
    dark.addEventListener("change", () => Lagoon.redrawCharts());
    return element("button", { class: "quiet", "aria-label": "Switch between light and dark", title: "Switch between light and dark", onclick: () => {
      document.documentElement.dataset.theme = THEMES[current()];
      try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* as above */ }
      Lagoon.redrawCharts();
    } }, "◐");
  }

  function logo() {
    const NS = "http://www.w3.org/2000/svg", box = document.createElementNS(NS, "svg"), rect = document.createElementNS(NS, "rect"), waves = document.createElementNS(NS, "path");
    for (const [key, value] of [["viewBox", "0 0 32 32"], ["aria-hidden", "true"]]) box.setAttribute(key, value);
    for (const [key, value] of [["width", "32"], ["height", "32"], ["rx", "7"], ["fill", "#0b5a8f"]]) rect.setAttribute(key, value);
    for (const [key, value] of [["d", "M4 14c4-4 8 4 12 0s8 4 12 0M4 21c4-4 8 4 12 0s8 4 12 0"], ["fill", "none"], ["stroke", "#fff"], ["stroke-width", "2.6"], ["stroke-linecap", "round"]]) waves.setAttribute(key, value);
    box.append(rect, waves);
    return box;
  }

  const nav = element("nav", { class: "pages", "aria-label": "Pages" }), main = element("main", { id: "main", tabindex: "-1" });
  const brand = element("a", file ? { class: "brand", href: "#main" } : { class: "brand", href: "/", "data-inside": true }, logo(), "Lagoon");
  document.getElementById("app").replaceChildren(element("a", { class: "skip", href: "#main" }, "To the content"), element("header", { class: "top" }, element("div", { class: "bar" }, brand, nav, file ? null : Lagoon.search(() => choices, go), theme())), main);
  if (file) {
    showFile();
    return;
  }
  document.addEventListener("click", (event) => {
    const inside = event.target.closest?.("a[data-inside]");
    if (!inside || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, "", inside.href);
    show();
  });
  addEventListener("popstate", () => { if (read().page !== undefined || !location.hash) show(); });
  first = askChoices(read());
  first.catch(() => {}); // whoever waits for it shows the error
  ask("/api/pages").then((found) => { pages = found; return show(); }, (error) => main.replaceChildren(element("p", { class: "failed" }, visible(error.message))));
})();
