"use strict";
// Tables of any length: only the rows in sight are in the page. Sorting and filtering work on all of them.
(() => {
  const { element, label, shown, isNumber, visible } = Lagoon;
  const ROW = 33, SPARE = 12, TAGS = new Set(["severity", "status", "action", "reason", "outcome", "cause", "change"]);

  function compare(a, b, number) {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // unknown last, whatever the direction
    if (number) return Number(a) - Number(b);
    const [x, y] = [typeof a === "object" ? JSON.stringify(a) : a, typeof b === "object" ? JSON.stringify(b) : b];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  function cell(data, index, value, context) {
    const column = data.columns[index], type = data.types[index], part = shown(column, type, value, context.day);
    const td = element("td", { class: isNumber(type) ? "number" : "", title: visible(part.title || (part.text.length > 14 ? part.text : "")) || null });
    if (part.isNull) td.append(element("span", { class: "null" }, part.text));
    else if (column === "group_id" && value && context.link) td.append(link(context.link({ page: "group", group: value }), part.text));
    else if (column === "topic" && value && context.link) td.append(link(context.link({ page: "topic", topic: value }), part.text));
    else if (TAGS.has(column) && typeof value === "string") td.append(element("span", { class: `tag ${/^[a-z]+$/.test(value) ? value : ""}` }, part.text.replaceAll("_", " ")));
    else td.append(element("bdi", {}, part.text));
    return td;
  }
  const link = (href, text) => element("a", { href, "data-inside": true }, element("bdi", {}, text));

  function openRow(data, row, context) {
    const list = element("dl");
    data.columns.forEach((column, index) => {
      const part = shown(column, data.types[index], row[index], context.day), value = row[index];
      const full = typeof value === "object" && value !== null ? JSON.stringify(value, null, 1) : part.text;
      list.append(element("dt", { title: column }, label(column)), element("dd", {}, element("bdi", {}, visible(full)), part.title && value !== null ? element("div", { class: "null" }, visible(part.title)) : null));
    });
    const close = element("button", { onclick: () => dialog.close(), autofocus: true }, "Close");
    const dialog = element("dialog", { "aria-label": "All columns of the row" }, element("div", { class: "title" }, element("strong", {}, "All columns of the row"), close), list);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
  }

  function widths(data, context) {
    return data.columns.map((column, index) => {
      let most = label(column).length + 2;
      for (const row of data.rows.slice(0, 120)) most = Math.max(most, shown(column, data.types[index], row[index], context.day).text.length);
      return Math.max(64, Math.min(most, 46) * 8.3 + 26);
    });
  }

  function table(data, context) {
    const sort = { by: null, down: false };
    let rows = data.rows, words = "";
    const body = element("tbody"), heads = data.columns.map((column, index) => {
      const button = element("button", { title: column, onclick: () => sortBy(index) }, label(column));
      return element("th", { scope: "col", class: isNumber(data.types[index]) ? "number" : "" }, button);
    });
    const sizes = widths(data, context), columns = [40, ...sizes].map((size) => { const col = element("col"); col.style.width = `${size}px`; return col; });
    const made = element("table", {}, element("caption", { class: "skip" }, context.title), element("colgroup", {}, ...columns),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { class: "skip" }, "Details")), ...heads)), body);
    made.style.width = `max(100%, ${sizes.reduce((a, b) => a + b, 40)}px)`;
    const scroller = element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": context.title }, made);
    scroller.style.height = `${Math.min(432, 38 + data.rows.length * ROW + 14)}px`;
    const count = element("span", { role: "status" });

    function sortBy(index) {
      sort.down = sort.by === index ? !sort.down : isNumber(data.types[index]);
      sort.by = index;
      heads.forEach((head, number) => number === index ? head.setAttribute("aria-sort", sort.down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
      heads.forEach((head, number) => { head.firstChild.textContent = label(data.columns[number]) + (number === index ? (sort.down ? " ↓" : " ↑") : ""); });
      arrange();
    }
    function arrange() {
      rows = words ? data.rows.filter((row) => row.some((value) => value !== null && String(typeof value === "object" ? JSON.stringify(value) : value).toLowerCase().includes(words))) : data.rows;
      if (sort.by !== null) {
        const number = isNumber(data.types[sort.by]), way = sort.down ? -1 : 1;
        rows = [...rows].sort((a, b) => { const [x, y] = [a[sort.by], b[sort.by]]; return compare(x, y, number) * (x === null || y === null ? 1 : way); });
      }
      count.textContent = words ? `${Lagoon.whole.format(rows.length)} of ${Lagoon.whole.format(data.rows.length)} rows` : `${Lagoon.whole.format(rows.length)}${data.more ? " first" : ""} row${rows.length === 1 ? "" : "s"}`;
      scroller.scrollTop = 0;
      first = -1;
      draw();
    }
    let first = -1;
    function draw() {
      const from = Math.max(0, Math.floor(scroller.scrollTop / ROW) - SPARE), to = Math.min(rows.length, from + Math.ceil(432 / ROW) + 2 * SPARE);
      if (from === first) return;
      first = from;
      const gap = (height) => { const td = element("td", { colspan: data.columns.length + 1 }); td.style.height = `${height}px`; return height ? [element("tr", { class: "gap", "aria-hidden": "true" }, td)] : []; };
      const shownRows = rows.slice(from, to).map((row, number) => element("tr", { "aria-rowindex": from + number + 2 },
        element("td", { class: "open" }, element("button", { class: "quiet", "aria-label": "Show all columns of the row", onclick: () => openRow(data, row, context) }, "⋯")),
        ...row.map((value, index) => cell(data, index, value, context))));
      body.replaceChildren(...gap(from * ROW), ...shownRows, ...gap((rows.length - to) * ROW));
    }
    scroller.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
    made.setAttribute("aria-rowcount", String(data.rows.length + 1));
    const filter = element("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter the rows of ${context.title}`, oninput: (event) => { words = event.target.value.toLowerCase(); arrange(); } });
    const more = data.more ? element("span", {}, context.isFile ? "The dashboard and `lagoon sql` show all rows." : "The CSV has all rows.") : null;
    arrange();
    return element("div", {}, scroller, element("div", { class: "under" }, data.rows.length > 8 ? filter : null, count, more));
  }
  Lagoon.table = table;
})();
