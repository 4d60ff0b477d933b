// A page is whole without this script. With it the page follows its session, keeps what is open,
// and finds words in the timeline.
"use strict";
document.documentElement.classList.add("alive");
(() => {
  const open = () => [...document.querySelectorAll("details")].map((d) => d.open);
  const find = () => document.getElementById("find");

  function filter() {
    const words = (find()?.value ?? "").toLowerCase();
    for (const li of document.querySelectorAll(".timeline > li"))
      li.hidden = words !== "" && !li.textContent.toLowerCase().includes(words);
  }

  function setUp() {
    find()?.addEventListener("input", filter);
  }

  // Everything that a person has set stays as it was.
  async function reload() {
    const answer = await fetch(location.pathname, { headers: { Accept: "text/html", "Bobbin-Follows": "1" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const were = open(), boxes = [...document.querySelectorAll(".filters input")].map((i) => [i.id, i.checked, i.value]);
    const focused = document.activeElement?.id, atEnd = innerHeight + scrollY > document.body.scrollHeight - 80;
    document.body.dataset.version = page.body.dataset.version ?? "";
    document.querySelector("main").replaceWith(page.querySelector("main"));
    document.querySelectorAll("details").forEach((d, i) => { if (i < were.length) d.open = were[i]; });
    for (const [id, checked, value] of boxes) {
      const box = document.getElementById(id);
      if (box) { box.checked = checked; if (box.type === "search") box.value = value; }
    }
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    setUp();
    filter();
    if (atEnd) scrollTo(0, document.body.scrollHeight);
    return answer.ok;
  }

  function follow() {
    const version = document.body.dataset.version;
    if (version === undefined) return;
    const changes = new EventSource(location.pathname + "/live?version=" + encodeURIComponent(version));
    changes.addEventListener("changed", async () => {
      changes.close();
      if (await reload().catch(() => true)) setTimeout(follow, 1000);
    });
  }

  document.addEventListener("keydown", (e) => {
    const typing = e.target.matches("input, select, textarea");
    if (e.key === "/" && !typing) { e.preventDefault(); (find() ?? document.getElementById("q"))?.focus(); }
    if (e.key === "Escape" && e.target.id === "find") { find().value = ""; filter(); e.target.blur(); }
  });
  setUp();
  follow();
})();
