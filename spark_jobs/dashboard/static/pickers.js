"use strict";
// What is chosen on a page: cluster, day, range, group, topic; and the search.
(() => {
  const { element, visible } = Lagoon;
  const MOST_OPTIONS = 60;
  let numbered = 0;

  // A text field with a list that narrows while typing; arrows, Enter and Escape work.
  function combobox({ name, value, options, choose, placeholder }) {
    const id = `options-${++numbered}`, list = element("ul", { class: "options", role: "listbox", id, "aria-label": name, hidden: true });
    const input = element("input", { type: "search", role: "combobox", "aria-label": name, "aria-controls": id, "aria-expanded": "false", "aria-autocomplete": "list", placeholder, autocomplete: "off", spellcheck: "false", value: value || "" });
    let found = [], active = -1;
    const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); active = -1; };
    const pick = (option) => { close(); input.value = ""; choose(option); };
    const mark = (index) => {
      active = index;
      [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === index)));
      const item = list.children[index];
      if (item) { input.setAttribute("aria-activedescendant", item.id); item.scrollIntoView({ block: "nearest" }); }
    };
    const show = (words) => {
      const wanted = words.toLowerCase(), all = options();
      const starts = all.filter((option) => option.name.toLowerCase().startsWith(wanted)), holds = all.filter((option) => !starts.includes(option) && option.name.toLowerCase().includes(wanted));
      found = [...starts, ...holds].slice(0, MOST_OPTIONS);
      list.replaceChildren(...found.map((option, index) => element("li", { role: "option", id: `${id}-${index}`, "aria-selected": "false", onmousedown: (event) => { event.preventDefault(); pick(option); } }, element("bdi", {}, visible(option.name)), option.kind ? element("span", { class: "kind" }, option.kind) : null)));
      if (!found.length) list.append(element("li", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, "Nothing of that name on this day"));
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
    };
    input.addEventListener("input", () => show(input.value));
    input.addEventListener("focus", () => { input.select(); show(""); });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (list.hidden) show(input.value);
        else mark(Math.max(0, Math.min(found.length - 1, active + (event.key === "ArrowDown" ? 1 : -1))));
      } else if (event.key === "Enter" && (found[active] || found[0]) && !list.hidden) { pick(found[Math.max(0, active)]); input.blur(); }
      else if (event.key === "Escape") close();
    });
    return [input, list];
  }

  const choice = (name, values, value, choose) => element("label", { class: "picker" }, name, element("select", { onchange: (event) => choose(event.target.value) }, ...values.map(([given, text]) => element("option", { value: given, selected: given === value }, visible(text)))));

  function pickers(page, state, choices, go) {
    const box = element("div", { class: "pickers" });
    const wants = (name) => page.pickers.includes(name);
    if (wants("group")) box.append(element("div", { class: "picker" }, "Group", ...combobox({ name: "Group", value: state.group, placeholder: "Choose a group", options: () => choices.groups.map((name) => ({ name })), choose: (option) => go({ group: option.name }) })));
    if (wants("topic")) box.append(element("div", { class: "picker" }, "Topic", ...combobox({ name: "Topic", value: state.topic, placeholder: "Choose a topic", options: () => choices.topics.map((name) => ({ name })), choose: (option) => go({ topic: option.name }) })));
    box.append(choice("Cluster", choices.clusters.map((name) => [name, name]), state.cluster, (cluster) => go({ cluster, day: null, group: null, topic: null })));
    const at = choices.days.indexOf(state.day), step = (by, text, name) => element("button", { disabled: !choices.days[at + by], "aria-label": name, title: name, onclick: () => go({ day: choices.days[at + by] }) }, text);
    const days = choice("Day (UTC)", choices.days.map((day) => [day, day]), state.day, (day) => go({ day }));
    box.append(element("div", { class: "picker" }, days, null), element("div", { class: "picker" }, element("span", { class: "steps" }, step(1, "‹", "The day before"), step(-1, "›", "The next day"))));
    if (wants("range")) box.append(choice("Range", [["1", "this day"], ["7", "7 days to it"], ["28", "28 days to it"]], state.range || "1", (range) => go({ range: range === "1" ? null : range })));
    return box;
  }

  function search(choices, go) {
    const options = () => [...choices().groups.map((name) => ({ name, kind: "group" })), ...choices().topics.map((name) => ({ name, kind: "topic" }))];
    return element("div", { class: "search" }, ...combobox({ name: "Search groups and topics", placeholder: "Search", options, choose: (option) => go(option.kind === "group" ? { page: "group", group: option.name } : { page: "topic", topic: option.name }) }));
  }
  Object.assign(Lagoon, { pickers, search });
})();
