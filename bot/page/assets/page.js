// A page is whole without this script. With it the page follows its session, keeps what is open,
// finds words in the timeline, and is walked through by keys.
"use strict";
(() => {
  const root = document.documentElement, $ = (id) => document.getElementById(id);
  root.classList.add("alive");

  function filter() {
    const words = ($("find")?.value ?? "").toLowerCase();
    for (const li of document.querySelectorAll(".timeline > li"))
      li.hidden = words !== "" && !li.textContent.toLowerCase().includes(words);
  }
  $("find")?.addEventListener("input", filter);

  // put shows a part anew: what is open in it stays open, and the focus where it was.
  const focusable = "a, summary, [tabindex]";
  function put(change) {
    const shell = document.createElement("template");
    shell.innerHTML = change.html;
    const now = shell.content.firstElementChild, was = $(change.id);
    if (!now) return;
    if (was) {
      const open = [...was.querySelectorAll("details")].map((d) => d.open);
      const focus = [...was.querySelectorAll(focusable)].indexOf(document.activeElement);
      now.querySelectorAll("details").forEach((d, i) => { if (i < open.length) d.open = open[i]; });
      was.replaceWith(now);
      if (focus >= 0) now.querySelectorAll(focusable)[focus]?.focus({ preventScroll: true });
      return;
    }
    const before = $(change.after);
    if (before) before.after(now);
    else document.querySelector(".timeline")?.append(now);
  }

  // update asks for what looks otherwise than it is shown.
  let updating = false, again = false;
  async function update() {
    if (updating) { again = true; return; }
    updating = true;
    try {
      const shown = Object.fromEntries([...document.querySelectorAll("[data-hash]")].map((e) => [e.id, e.dataset.hash]));
      const answer = await fetch(location.pathname + "/parts", { method: "POST", body: JSON.stringify(shown) });
      if (answer.status === 403) location.reload(); // it says why
      if (!answer.ok) throw new Error(answer.status);
      const atEnd = innerHeight + scrollY > document.body.scrollHeight - 80;
      for (const change of await answer.json()) put(change);
      filter();
      if (atEnd) scrollTo(0, document.body.scrollHeight);
    } catch { /* the next change asks again */ }
    updating = false;
    if (again) { again = false; setTimeout(update, 200); }
  }
  if (document.body.dataset.version !== undefined)
    new EventSource(location.pathname + "/live?version=" + encodeURIComponent(document.body.dataset.version)).addEventListener("changed", update);

  // step moves the focus from entry to entry.
  function step(by) {
    const all = [...document.querySelectorAll(".timeline > li:not([hidden])")].filter((li) => li.checkVisibility());
    const at = all.indexOf(document.activeElement.closest(".timeline > li"));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    if (!next) return;
    const target = next.querySelector("summary, a") ?? next;
    if (target === next) next.tabIndex = -1;
    target.focus();
  }
  const theme = (t) => { root.dataset.theme = t; try { localStorage.setItem("theme", t); } catch { /* for this page */ } };
  try { if (localStorage.getItem("theme")) theme(localStorage.getItem("theme")); } catch { /* as the system has it */ }
  const turn = () => theme((root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark" ? "light" : "dark");
  document.querySelector("[data-theme-switch]")?.addEventListener("click", turn);
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && e.target.id === "find") { e.target.value = ""; filter(); e.target.blur(); }
    if (e.target.matches("input:not([type=checkbox]), select, textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/") { e.preventDefault(); const box = $("find") ?? $("q"); box?.focus(); box?.select(); }
    if (e.key === "j") step(1);
    if (e.key === "k") step(-1);
    if (e.key === "d") turn();
  });
})();
