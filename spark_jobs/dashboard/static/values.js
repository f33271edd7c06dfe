"use strict";
// How values are shown. Every text from the lake becomes a text node: never markup.
window.Lagoon = {};
(() => {
  // Characters that act instead of being seen: control characters, and those that turn the direction of the text.
  const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const visible = (text) => String(text).replace(ACTING, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (key === "class") made.className = value;
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const WORDS = { p50: "median", p95: "95 %", p99: "99 %", cv: "variation", rate: "rate", ms: "", at: "" };
  // `gap_ms_p95` as people say it: gap 95 %.
  const NAMES = {
    paused_partition_ms: "Paused partition time", lag_max: "Largest lag", lag_ms_max: "Largest lag in time", lag_ms: "Lag in time", redelivered: "Reprocessed records",
    replay_window_p99: "Replay window 99 %", cv: "Variation", rate_cv: "Variation of rates", in_storm: "In a storm", group_id: "Group", is_actual: "In use", first_at: "First", last_at: "Last",
  };
  function label(column) {
    if (column in NAMES) return NAMES[column];
    if (/[^a-z0-9_]/.test(column)) return visible(column);
    const words = column.split("_").map((word) => (word in WORDS ? WORDS[word] : word)).filter(Boolean).join(" ");
    return (words || column).replace(" id", "").replace(/^./, (c) => c.toUpperCase());
  }

  const whole = new Intl.NumberFormat("en-US");
  const short = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
  function duration(ms) {
    const [abs, sign] = [Math.abs(ms), ms < 0 ? "−" : ""];
    if (abs < 1000) return `${sign}${short.format(abs)} ms`;
    if (abs < 60e3) return `${sign}${(abs / 1e3).toFixed(1)} s`;
    if (abs < 3600e3) return `${sign}${(abs / 60e3).toFixed(1)} min`;
    if (abs < 48 * 3600e3) return `${sign}${(abs / 3600e3).toFixed(1)} h`;
    return `${sign}${(abs / 86400e3).toFixed(1)} d`;
  }

  const isTime = (type) => type === "timestamp";
  const isNumber = (type) => ["tinyint", "smallint", "int", "bigint", "double"].includes(type);
  const isDuration = (column) => /_ms(_|$)/.test(column);

  // The clock in UTC; the day is the page's, so it is only shown where it is another one.
  function time(text, day) {
    const clock = text.slice(11).replace("Z", "").replace(/(\.\d{3})\d+$/, "$1");
    return text.slice(0, 10) === day ? clock : `${text.slice(0, 10)} ${clock}`;
  }
  function localTime(text) {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? "" : `${text} · your time: ${at.toLocaleString()}`;
  }

  function shown(column, type, value, day) {
    if (value === null || value === undefined) return { text: "–", title: "unknown: no source reports it", isNull: true };
    if (isTime(type)) return { text: time(value, day), title: localTime(value) };
    if (isNumber(type)) {
      const number = Number(value);
      if (isDuration(column)) return { text: duration(number), title: `${whole.format(number)} ms` };
      return { text: type === "double" ? short.format(number) : whole.format(number), title: String(value) };
    }
    if (typeof value === "boolean") return { text: value ? "yes" : "no", title: "" };
    if (Array.isArray(value)) return { text: visible(value.map((v) => (typeof v === "object" ? JSON.stringify(v) : v)).join(", ")), title: "" };
    if (typeof value === "object") return { text: visible(Object.entries(value).map(([k, v]) => `${k}: ${v}`).join(", ")), title: "" };
    return { text: visible(value), title: "" };
  }

  const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const series = (number) => cssColor(`--s${number % 8}`);
  Object.assign(window.Lagoon, { visible, element, label, duration, isTime, isNumber, isDuration, shown, time, localTime, cssColor, series, whole, short });
})();
