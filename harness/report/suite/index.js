
"use strict";
const form = document.getElementById("filter"), names = ["scenario", "target", "verdict", "words"];
const bodies = Array.from(document.querySelectorAll("[data-filtered]"));
const rows = bodies.flatMap(body => Array.from(body.rows, row => ({
  row, counts: body.id === "runs", text: row.textContent.toLowerCase(),
  scenario: row.dataset.scenario, target: row.dataset.target, verdicts: row.dataset.verdicts.split("|"),
})));
function show() {
  const [scenario, target, verdict, words] = names.map(name => form.elements[name].value);
  const wanted = words.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const one of rows) {
    one.row.hidden = (scenario && one.scenario !== scenario) || (target && one.target !== target)
      || (verdict && !one.verdicts.includes(verdict)) || !wanted.every(word => one.text.includes(word));
    shown += one.counts && !one.row.hidden;
  }
  document.getElementById("shown").textContent = shown;
  document.getElementById("none").hidden = shown > 0;
}
function remember() {
  const chosen = names.filter(name => form.elements[name].value).map(name => [name, form.elements[name].value]);
  location.replace("#" + new URLSearchParams(chosen));
}
function recall() {
  const chosen = new URLSearchParams(location.hash.slice(1));
  for (const name of names) {
    form.elements[name].value = chosen.get(name) || "";
    if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
  }
  show();
}
form.addEventListener("input", () => { show(); remember(); });
form.addEventListener("reset", () => setTimeout(() => { show(); remember(); }));
form.addEventListener("submit", event => event.preventDefault());
addEventListener("hashchange", recall);
form.hidden = false;
recall();
