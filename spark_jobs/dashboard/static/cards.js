"use strict";
// Numbers, findings and the story of a group.
(() => {
  const { element, label, shown, visible, time, localTime } = Lagoon;
  const MARKS = { critical: "▲ critical", warning: "◆ warning", info: "● info" };
  const FIRST = 8;
  // Where the rows are that prove a finding: the panel of the group's page.
  const PROOFS = [
    [/rebalance|storm/, "rebalances"], [/evicted|poll_interval|skipped|redelivery/, "read_starts"], [/fenced|avoidable|cannot_join/, "members"],
    [/lag|off_by_one|negative|overtaken/, "lag_status"], [/replay|position|commit|transaction|left_behind/, "gaps"], [/uneven|idle/, "owners"], [/setting/, "settings"],
  ];
  const WHOLE = [[/rejected|past_log_end/, "quality", "rejected"], [/not_understood|untimed|history|silent/, "trust", "sources"]];

  const objects = (data) => data.rows.map((row) => Object.fromEntries(data.columns.map((column, index) => [column, row[index]])));

  function numbers(data) {
    const [row] = objects(data), types = Object.fromEntries(data.columns.map((column, index) => [column, data.types[index]]));
    return element("dl", { class: "numbers" }, ...data.columns.filter((column) => !column.endsWith("_before")).map((column) => {
      const part = shown(column, types[column], row[column]), before = row[`${column}_before`];
      const compared = `${column}_before` in row ? element("small", {}, before === null ? "no day before" : before === row[column] ? "as the day before" : `day before: ${shown(column, types[column], before).text}`) : null;
      return element("div", {}, element("dt", { title: column }, label(column)), element("dd", { title: visible(part.title) || null }, element("bdi", {}, part.text.replaceAll("_", " ")), compared));
    }));
  }

  function proof(finding, context) {
    const all = WHOLE.find(([pattern]) => pattern.test(finding.kind));
    if (all) return context.link({ page: all[1], panel: all[2] });
    const of = PROOFS.find(([pattern]) => pattern.test(finding.kind));
    return finding.group_id ? context.link({ page: "group", group: finding.group_id, panel: of ? of[1] : "story" }) : context.link({ page: "trust", panel: "sources" });
  }

  function finding(row, context) {
    const links = element("div", { class: "links" });
    if (context.link && !context.isFile) {
      links.append(element("a", { href: proof(row, context), "data-inside": true }, "Rows that prove it"));
      if (row.group_id && context.page !== "group") links.append(element("a", { href: context.link({ page: "group", group: row.group_id }), "data-inside": true }, "The group's day"));
    }
    if (row.days_seen > 1) links.append(element("span", {}, `seen on ${row.days_seen} days, first on ${row.first_seen_day}`));
    const line = (text, kind) => (text ? element("p", { class: kind }, element("bdi", {}, visible(text))) : null);
    return element("li", {}, element("span", { class: `severity ${row.severity}` }, MARKS[row.severity] || visible(row.severity)),
      element("div", {}, element("h3", {}, element("bdi", {}, visible(row.title))), line(row.evidence), line(row.cost),
        line(`→ ${row.recommendation || ""}${row.expected_effect ? `. Expected: ${row.expected_effect}` : ""}`, "todo"), links));
  }

  function findings(data, context) {
    const rows = objects(data), list = element("ol", { class: "findings" }), chosen = new Set();
    const tally = element("div", { class: "tally", role: "group", "aria-label": "Show only" });
    const more = element("button", { onclick: () => { limit = Infinity; draw(); } });
    let limit = FIRST;
    function draw() {
      const found = rows.filter((row) => !chosen.size || chosen.has(row.severity));
      list.replaceChildren(...found.slice(0, limit).map((row) => finding(row, context)));
      more.hidden = found.length <= limit;
      more.textContent = `Show all ${found.length}`;
    }
    for (const severity of Object.keys(MARKS)) {
      const count = rows.filter((row) => row.severity === severity).length;
      if (count) tally.append(element("button", { class: `quiet severity ${severity}`, "aria-pressed": "false", onclick: (event) => {
        chosen.has(severity) ? chosen.delete(severity) : chosen.add(severity);
        event.currentTarget.setAttribute("aria-pressed", String(chosen.has(severity)));
        draw();
      } }, `${MARKS[severity].replace(/ .*/, "")} ${count} ${severity}`));
    }
    draw();
    return element("div", {}, tally, list, more);
  }

  const STORY = { member_joined: "+", member_went: "−", rebalance: "↻", regression: "●", commit_rejected: "▲", position_out_of_range: "▲", records_lost: "▲" };
  function story(data, context) {
    const rows = objects(data);
    return element("div", { class: "scrolled", tabindex: "0", role: "region", "aria-label": context.title }, element("ol", { class: "story" }, ...rows.map((row) => element("li", { class: row.kind === "advice" ? "advice" : "" },
      row.happened_at ? element("time", { datetime: row.happened_at, title: localTime(row.happened_at) }, time(row.happened_at, context.day)) : element("span", { class: "none" }, row.kind === "advice" ? "to change" : "no time"),
      element("span", { "aria-hidden": "true" }, row.kind === "advice" ? "→" : STORY[row.kind] || "·"),
      element("div", {}, element("p", {}, element("bdi", {}, visible(row.sentence))), element("p", { class: "evidence" }, element("bdi", {}, visible(`${row.evidence || ""}${row.sources ? ` (${row.sources.join(", ")})` : ""}`))))))));
  }
  Object.assign(Lagoon, { numbers, findings, story, objects });
})();
