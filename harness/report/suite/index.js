
"use strict";
const filter = document.getElementById("filter");
const rows = Array.from(document.getElementById("runs").rows, row => [row, row.textContent.toLowerCase()]);
function show() {
  const words = filter.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const [row, text] of rows) {
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  document.getElementById("shown").textContent = shown;
}
filter.addEventListener("input", show);
show();
