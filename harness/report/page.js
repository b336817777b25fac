
"use strict";
// The page says everything without this script; it adds values under the pointer and a closer look at a stretch of time.
(() => {
  const made = (tag, name, text) => Object.assign(document.createElement(tag), {className: name, textContent: text || ""});
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(one => { one.open = true; }));
  const charts = document.querySelector(".charts");
  if (!charts || !charts.children.length) return;
  const seconds = Number(charts.dataset.seconds), spans = JSON.parse(charts.dataset.spans);
  let from = 0, span = seconds, at = null;

  const figures = [...charts.querySelectorAll(".chart")].map(figure => {
    const plot = figure.querySelector(".plot"), lines = JSON.parse(figure.dataset.lines);
    lines.forEach((line, n) => { line[1] = line[1] || lines[n - 1][1]; });
    const cross = plot.appendChild(made("i", "cross")), band = plot.appendChild(made("i", "band"));
    const tip = plot.appendChild(made("p", "tip"));
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", figure.querySelector("h3").textContent + ": arrow keys read values, plus and minus zoom");
    tip.setAttribute("aria-live", "polite");
    return {plot, lines, cross, band, tip, svg: plot.querySelector("svg"), xs: plot.querySelector(".xs"), ticks: plot.querySelector(".ticks")};
  });

  const clock = (value, step) => {
    if (seconds <= 120 || step < 1) return value.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
    const whole = Math.round(value), pad = part => String(part).padStart(2, "0");
    return seconds < 7200 ? `${Math.floor(whole / 60)}:${pad(whole % 60)}`
      : `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}` + (step < 60 ? `:${pad(whole % 60)}` : "");
  };
  const stepOf = size => {
    const power = 10 ** Math.floor(Math.log10(size));
    return [1, 2, 5, 10].map(n => n * power).find(step => step >= size);
  };
  const tickLabels = xs => {
    const step = stepOf(span / 6), labels = [];
    for (let n = Math.ceil(from / step); n * step <= from + span + 1e-9; n++) {
      const label = made("span", "at x", clock(n * step, step));
      label.style.setProperty("--at", n * step / seconds);
      labels.push(label);
    }
    xs.replaceChildren(...labels);
  };

  const zoom = (start, width) => {
    span = Math.min(Math.max(width, seconds / 500), seconds);
    from = Math.min(Math.max(start, 0), seconds - span);
    charts.style.setProperty("--from", from / seconds);
    charts.style.setProperty("--span", span / seconds);
    for (const {svg, xs, ticks} of figures) {
      svg.setAttribute("viewBox", `${from / seconds * 1000} 0 ${span / seconds * 1000} 200`);
      ticks.style.display = span < seconds ? "none" : "";
      tickLabels(xs);
    }
    hide();
  };
  const nearest = (moments, moment) => {
    let low = 0, high = moments.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moments[middle] < moment) low = middle + 1; else high = middle;
    }
    return low > 0 && moment - moments[low - 1] < moments[low] - moment ? low - 1 : low;
  };
  const hide = () => { at = null; figures.forEach(({cross, tip}) => { cross.style.display = tip.style.display = "none"; }); };
  const show = (moment, shown) => {
    at = Math.min(Math.max(moment, from), from + span);
    for (const figure of figures) {
      figure.cross.style.display = "block";
      figure.cross.style.setProperty("--at", at / seconds);
      figure.tip.style.display = figure === shown ? "block" : "none";
    }
    const read = ([name, moments, values]) => {
      const value = moments.length ? values[nearest(moments, at)] : null;
      return `${name} ${value === null ? "\u2013" : value.toLocaleString("en")}`;
    };
    shown.tip.textContent = `${at.toFixed(span < 20 ? 2 : 1)} s: ${shown.lines.map(read).join(", ")}`;
    shown.tip.classList.toggle("left", (at - from) / span > 0.5);
  };

  for (const figure of figures) {
    const {plot, band, lines} = figure;
    let began = null;
    const momentOf = event => {
      const box = plot.getBoundingClientRect();
      return from + Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * span;
    };
    plot.addEventListener("pointerdown", event => {
      if (event.pointerType === "mouse" && event.button === 0) { began = momentOf(event); plot.setPointerCapture(event.pointerId); }
      show(momentOf(event), figure);
    });
    plot.addEventListener("pointermove", event => {
      const moment = momentOf(event);
      show(moment, figure);
      if (began === null) return;
      band.style.display = "block";
      band.style.setProperty("--at", Math.min(began, moment) / seconds);
      band.style.setProperty("--wide", Math.abs(moment - began) / seconds);
    });
    plot.addEventListener("pointerup", event => {
      const moment = momentOf(event);
      if (began !== null && Math.abs(moment - began) > span / 50) zoom(Math.min(began, moment), Math.abs(moment - began));
      began = null;
      band.style.display = "none";
    });
    plot.addEventListener("pointerleave", event => { if (event.pointerType === "mouse" && began === null) hide(); });
    plot.addEventListener("dblclick", () => zoom(0, seconds));
    plot.addEventListener("keydown", event => {
      const here = at === null ? from + span / 2 : at, moments = lines[0][1];
      const near = moments.length ? nearest(moments, here) : 0;
      const keys = {
        ArrowLeft: () => show(moments[Math.max(near - 1, 0)], figure),
        ArrowRight: () => show(moments[Math.min(near + 1, moments.length - 1)], figure),
        "+": () => zoom(here - span / 4, span / 2),
        "-": () => zoom(here - span, span * 2),
        Escape: () => zoom(0, seconds),
      };
      if (!keys[event.key] || !moments.length) return;
      event.preventDefault();
      keys[event.key]();
    });
    plot.addEventListener("blur", hide);
  }

  const tools = made("p", "tools", "Look closer: ");
  const button = (text, act) => {
    const one = Object.assign(made("button", "", text), {type: "button", onclick: act});
    tools.append(one, " ");
  };
  button("whole run", () => zoom(0, seconds));
  for (const [name, start, end] of spans) {
    const wide = Math.max(end - start, seconds / 25);
    button(name, () => zoom(start - wide / 2, end - start + wide * 2));
  }
  tools.append(made("span", "quiet", "or drag across a chart"));
  charts.before(tools);
})();
