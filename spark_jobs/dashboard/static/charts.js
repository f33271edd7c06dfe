"use strict";
// Bars, lines and heat maps by ECharts; the timeline of members as an SVG of its own.
(() => {
  const { element, label, shown, visible, cssColor, series, isTime, isDuration, duration, short, time, localTime } = Lagoon;
  const open = new Set();

  function made(option, context, kind = "chart") {
    const box = element("div", { class: kind, role: "img", "aria-label": `${context.title}. The button Table shows the same as rows.` });
    const begin = () => {
      const chart = echarts.init(box, null, { renderer: "canvas" });
      chart.setOption({ animation: false, textStyle: { fontFamily: getComputedStyle(document.body).fontFamily }, ...option() });
      const entry = { box, redraw: () => { chart.setOption(option(), true); }, resize: () => chart.resize(), end: () => chart.dispose() };
      open.add(entry);
    };
    requestAnimationFrame(begin);
    return box;
  }
  function each(action) {
    for (const entry of open) {
      if (entry.box.isConnected) entry[action]();
      else { entry.end(); open.delete(entry); }
    }
  }
  addEventListener("resize", () => each("resize"));

  const number = (column) => (value) => (isDuration(column) ? duration(value) : short.format(value));
  const cut = (text, most = 34) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  // Names of clients differ at their end.
  const cutMiddle = (text, most = 30) => (text.length > most ? `${text.slice(0, most - 15)}…${text.slice(-14)}` : text);
  function axes(x, y, extra) {
    const line = { lineStyle: { color: cssColor("--line") } }, text = { color: cssColor("--soft"), fontSize: 12 };
    return {
      xAxis: { axisLine: line, axisTick: { show: false }, axisLabel: { ...text, hideOverlap: true }, splitLine: { show: false }, ...x },
      yAxis: { axisLabel: text, splitLine: line, axisLine: { show: false }, ...y, ...(extra || {}) },
    };
  }
  function tip(title, lines) {
    const box = element("div", { class: "tip" }, element("b", {}, visible(title)));
    for (const [name, value] of lines) box.append(element("div", {}, element("span", {}, visible(name)), element("span", {}, value)));
    return box;
  }
  const tooltip = (format) => ({ confine: true, backgroundColor: cssColor("--card"), borderColor: cssColor("--line"), textStyle: { color: cssColor("--text") }, formatter: format });
  const legend = (names) => ({ show: names.length > 1, type: "scroll", bottom: 0, icon: "roundRect", itemWidth: 11, itemHeight: 11, textStyle: { color: cssColor("--soft") }, pageTextStyle: { color: cssColor("--soft") }, formatter: (name) => cut(name), data: names });

  function pivot(data, panel) {
    const at = (column) => data.columns.indexOf(column), [ix, iy, is] = [at(panel.x), at(panel.y), panel.series ? at(panel.series) : -1];
    const xs = [...new Set(data.rows.map((row) => row[ix]))];
    const name = (row) => (is < 0 ? label(panel.y) : ["reason", "rule"].includes(panel.series) ? visible(row[is] ?? "unknown").replaceAll("_", " ") : visible(row[is] ?? "unknown"));
    const names = [...new Set(data.rows.map(name))].sort((a, b) => (a === "others") - (b === "others"));
    const values = new Map(data.rows.map((row) => [JSON.stringify([row[ix], name(row)]), row[iy]]));
    const get = (x, name) => values.get(JSON.stringify([x, name])) ?? null;
    return { xs, names, get, xType: data.types[ix] };
  }
  const others = (name, index) => (name === "others" ? cssColor("--s7") : series(index));

  function bars(data, context) {
    const panel = context.panel, { xs, names, get, xType } = pivot(data, panel), across = !isTime(xType) && xType !== "date";
    const named = (x) => (isTime(xType) ? time(x, context.day).slice(0, -3) : visible(x));
    const option = () => {
      const categories = { type: "category", data: across ? [...xs].reverse().map(named) : xs.map(named) };
      const values = { type: "value", axisLabel: { color: cssColor("--soft"), formatter: number(panel.y) } };
      const sides = across ? axes(values, { ...categories, axisLabel: { color: cssColor("--text"), width: 236, overflow: "truncate" } }) : axes(categories, values);
      return { ...sides, legend: legend(names), grid: across ? { left: 250, right: 24, top: 8, bottom: 28 } : { left: 8, right: 16, top: 12, bottom: names.length > 1 ? 34 : 8, containLabel: true },
        tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, ...tooltip((items) => tip(items[0].name, items.filter((item) => item.value !== null).map((item) => [item.seriesName, number(panel.y)(item.value)]))) },
        series: names.map((name, index) => ({ name, type: "bar", stack: "all", barMaxWidth: 38, itemStyle: { color: others(name, index) }, data: (across ? [...xs].reverse() : xs).map((x) => get(x, name)) })) };
    };
    return made(option, context, across ? "chart tall" : "chart");
  }

  function lines(data, context) {
    const panel = context.panel, { xs, names, get } = pivot(data, panel);
    const option = () => ({
      ...axes({ type: "time", axisLabel: { color: cssColor("--soft"), hideOverlap: true, formatter: (at) => new Date(at).toISOString().slice(11, 19) } }, { type: "value", axisLabel: { color: cssColor("--soft"), formatter: number(panel.y) } }, { scale: panel.y === "committed_offset" }),
      useUTC: true, legend: legend(names), grid: { left: 8, right: 20, top: 12, bottom: names.length > 1 ? 34 : 8, containLabel: true },
      tooltip: { trigger: "axis", ...tooltip((items) => tip(new Date(items[0].value[0]).toISOString().slice(0, 19).replace("T", " ") + " UTC", items.filter((item) => item.value[1] !== null).sort((a, b) => b.value[1] - a.value[1]).slice(0, 12).map((item) => [cut(item.seriesName), number(panel.y)(item.value[1])]))) },
      series: names.map((name, index) => ({ name, type: "line", showSymbol: xs.length < 40, symbolSize: 5, lineStyle: { width: 2, type: index > 7 ? "dashed" : "solid" }, color: others(name, index), connectNulls: true, sampling: "lttb", data: xs.map((x) => [x, get(x, name)]).filter((point) => point[1] !== null) })),
    });
    return made(option, context);
  }

  function heatmap(data, context) {
    const panel = context.panel, at = (column) => data.columns.indexOf(column), hours = [...Array(24).keys()];
    const rows = [...new Set(data.rows.map((row) => visible(row[at(panel.y)])))], value = (row) => row[at(panel.value)];
    const most = Math.max(1, ...data.rows.map(value));
    const option = () => ({
      ...axes({ type: "category", data: hours.map((hour) => `${String(hour).padStart(2, "0")}`), splitArea: { show: false } }, { type: "category", data: rows }),
      grid: { left: 8, right: 16, top: 8, bottom: 8, containLabel: true },
      visualMap: { show: false, min: 0, max: most, inRange: { color: [cssColor("--hover"), cssColor("--s0")] } },
      tooltip: tooltip((item) => tip(`${rows[item.value[1]]}, ${String(item.value[0]).padStart(2, "0")}:00 UTC`, [[label(panel.value), short.format(item.value[2])]])),
      series: [{ type: "heatmap", itemStyle: { borderColor: cssColor("--card"), borderWidth: 2, borderRadius: 4 }, label: { show: true, fontSize: 11, color: cssColor("--text"), textBorderColor: cssColor("--card"), textBorderWidth: 2, formatter: (item) => Lagoon.compact.format(item.value[2]) }, data: data.rows.map((row) => [row[at(panel.x)], rows.indexOf(visible(row[at(panel.y)])), value(row)]) }],
    });
    return made(option, context, "chart short");
  }
  Lagoon.compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

  const SVG = "http://www.w3.org/2000/svg";
  function svg(name, attributes, ...children) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }
  const ENDED = { left: 0, still_member: 2, poll_interval: 5, session_timeout: 3, rebalance_timeout: 3, fenced: 6, replaced: 4, group_removed: 7 };
  const MOST_LANES = 60;

  function timeline(data, context) {
    const rows = Lagoon.objects(data).filter((row) => row.started_at), times = rows.flatMap((row) => [row.started_at, row.ended_at]).filter(Boolean).map((text) => Date.parse(text));
    const [from, to] = [Math.min(...times), Math.max(...times)], span = Math.max(1, to - from), width = 1200, left = 220, right = 16;
    const x = (text) => left + ((Date.parse(text) - from) / span) * (width - left - right);
    const lanes = [...new Set(rows.filter((row) => row.kind === "member").map((row) => row.lane))], shownLanes = lanes.slice(0, MOST_LANES);
    const height = 62 + shownLanes.length * 24, top = 40;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Members and rebalances over time. The tables below have the same rows." });
    for (let step = 0; step <= 6; step++) {
      const at = left + (step / 6) * (width - left - right), clock = new Date(from + (span * step) / 6).toISOString();
      picture.append(svg("line", { x1: at, x2: at, y1: 22, y2: height - 6 }), svg("text", { x: at, y: 14, class: "soft", "text-anchor": step === 6 ? "end" : step === 0 ? "start" : "middle" }, clock.slice(11, 19)));
    }
    const title = (text) => { const made = svg("title", {}); made.textContent = visible(text); return made; };
    const name = (text, y) => { const made = svg("text", { x: 8, y }, ""); made.textContent = cutMiddle(visible(text)); made.append(title(text)); return made; };
    picture.append(name("rebalances", top - 2));
    for (const row of rows.filter((each) => each.kind === "rebalance")) {
      const at = x(row.started_at), end = row.ended_at ? Math.max(x(row.ended_at), at + 3) : at + 3;
      picture.append(svg("g", { class: "lane" }, svg("line", { x1: at, x2: at, y1: 24, y2: height - 6, stroke: cssColor("--s1"), "stroke-dasharray": "2 4" }), svg("rect", { x: at, y: top - 13, width: end - at, height: 14, rx: 2, fill: cssColor("--s1") }, title(`${row.started_at} ${row.state || ""}: ${row.label || ""}`.replaceAll("_", " ")))));
    }
    shownLanes.forEach((lane, index) => {
      const y = top + 12 + index * 24;
      picture.append(name(lane || "unknown", y + 13));
      for (const row of rows.filter((each) => each.kind === "member" && each.lane === lane)) {
        const at = x(row.started_at), end = row.ended_at ? x(row.ended_at) : width - right;
        picture.append(svg("g", { class: "lane" }, svg("rect", { x: at, y, width: Math.max(3, end - at), height: 16, rx: 3, fill: series(ENDED[row.state] ?? 7) }, title(`${row.label || ""}\n${row.started_at} to ${row.ended_at || "the end of the day"}\n${(row.state || "").replaceAll("_", " ")}`))));
      }
    });
    const ends = [...new Set(rows.filter((row) => row.kind === "member").map((row) => row.state))];
    const key = element("div", { class: "legend" }, ...ends.map((state) => { const made = element("span", {}, (state || "unknown end").replaceAll("_", " ")); made.style.setProperty("--of", `var(--s${ENDED[state] ?? 7})`); return made; }));
    if (rows.some((row) => row.kind === "rebalance")) { const made = element("span", {}, "rebalance"); made.style.setProperty("--of", "var(--s1)"); key.append(made); }
    if (lanes.length > MOST_LANES) key.append(element("b", {}, `${lanes.length - MOST_LANES} more members are in the table below`));
    return element("div", {}, element("div", { class: "timeline", tabindex: "0", role: "region", "aria-label": context.title }, picture), key);
  }
  Object.assign(Lagoon, { bars, lines, heatmap, timeline, redrawCharts: () => each("redraw") });
})();
