// The page works without this script. With it, forms are sent in the background, and what
// changes in the workspace is laid over the page as it comes.
'use strict';

const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

let hints; // what is offered below the box that somebody writes in

// ---- Laying new HTML over what is shown, without touching what somebody is doing.

function morph(from, to) {
  if (from.matches('.chosen, [data-pill]')) return; // only this script changes them
  const busy = hints && from === hints.box;
  for (const a of [...from.attributes]) {
    if (busy && a.name.startsWith('aria-')) continue;
    if (!to.hasAttribute(a.name) && !(a.name === 'open' && /^(DETAILS|DIALOG)$/.test(from.tagName))) from.removeAttribute(a.name);
  }
  for (const a of to.attributes) {
    if (a.name === 'open' && /^(DETAILS|DIALOG)$/.test(from.tagName)) continue;
    if (from.getAttribute(a.name) !== a.value) from.setAttribute(a.name, a.value);
  }
  if (/^(TEXTAREA|INPUT|SELECT)$/.test(from.tagName)) return;
  let here = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    let found = here;
    if (wanted.id) {
      const same = from.ownerDocument.getElementById(wanted.id);
      if (same && same.parentNode === from) found = same;
      else if (here && here.id) found = null;
    } else if (here && here.id) {
      found = null;
    }
    if (found && found.nodeType === wanted.nodeType && found.nodeName === wanted.nodeName && (found.id || '') === (wanted.id || '')) {
      if (found !== here) from.insertBefore(found, here);
      if (found.nodeType === 1) morph(found, wanted);
      else if (found.data !== wanted.data) found.data = wanted.data;
      here = found.nextSibling;
    } else {
      from.insertBefore(document.importNode(wanted, true), here);
    }
  }
  while (here) {
    const next = here.nextSibling;
    if (!hints || here !== hints.list) here.remove();
    here = next;
  }
}

// ---- Scrolling: who sees the newest message goes on seeing it; others are told that there are new ones.

const atEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 60;
const toEnd = (log) => { log.scrollTop = log.scrollHeight; };
const pillOf = (log) => $('[data-pill]', log.parentElement);
const shownIn = (log) => new Set(all('.messages > .message', log).map((li) => li.id));

const following = new WeakMap(); // by log: whether its end is shown
const sizes = new ResizeObserver((list) => {
  for (const { target } of list) if (following.get(target) !== false) toEnd(target);
});
document.addEventListener('scroll', (e) => {
  if (!e.target.matches?.('[data-log]')) return;
  following.set(e.target, atEnd(e.target));
  if (atEnd(e.target)) pillOf(e.target).hidden = true;
}, true);

// A press is followed to the first message that comes after it, unless one goes elsewhere meanwhile.
const pressed = new Set(); // logs
function followPress() { for (const log of all('[data-log]')) pressed.add(log); }
for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown']) document.addEventListener(name, () => pressed.clear(), { passive: true, capture: true });

function arrived(log, wasAtEnd, before) {
  const fresh = all('.messages > .message', log).filter((li) => !before.has(li.id));
  if (fresh.length && pressed.delete(log)) {
    toEnd(log);
    const above = fresh[0].getBoundingClientRect().top - log.getBoundingClientRect().top;
    if (above < 0) log.scrollTop += above;
  } else if (wasAtEnd) {
    toEnd(log);
  } else if (fresh.length) {
    pillOf(log).hidden = false;
  }
}


function lay(region, html) {
  const fresh = new DOMParser().parseFromString(html, 'text/html').body.firstElementChild;
  const old = document.getElementById(region);
  if (!fresh || !old) return;
  const logs = all('[data-log]', old).map((log) => [log, atEnd(log), shownIn(log)]);
  morph(old, fresh);
  for (const [log, wasAtEnd, before] of logs) arrived(log, wasAtEnd, before);
  settle();
}

// settle does what new elements need.
function settle() {
  for (const d of all('dialog[data-modal]')) {
    if (!d.matches(':modal')) {
      d.removeAttribute('open');
      d.showModal();
      const first = $('textarea, select, input:not([type=hidden])', d);
      if (first) first.focus();
    }
  }
  const focus = $('[data-focus]:not([data-focused])');
  if (focus) {
    focus.dataset.focused = '';
    focus.focus();
    focus.setSelectionRange(focus.value.length, focus.value.length);
  }
  for (const box of all('textarea[data-enter-sends]')) grow(box);
  for (const log of all('[data-log]')) sizes.observe(log);
}

// ---- Staying alive.

let live;
let again;

function listen() {
  if (live) live.close();
  live = new EventSource(document.body.dataset.live);
  live.addEventListener('region', (e) => {
    const r = JSON.parse(e.data);
    $('#offline').hidden = true;
    document.title = r.title;
    lay(r.id, r.html);
  });
  live.addEventListener('gone', () => { live.close(); location.href = '/'; });
  live.onerror = () => {
    $('#offline').hidden = false;
    clearTimeout(again);
    again = setTimeout(listen, 1000); // the playground may have been started again
  };
  live.onopen = () => { clearTimeout(again); $('#offline').hidden = true; };
}

// ---- Going somewhere without a new page.

const drafts = new Map();

function keepDrafts() {
  for (const f of all('form[data-composer]')) drafts.set(f.dataset.composer, $('textarea', f).value);
}

let visits = 0;

// go shows another place, and says whether it did: who goes on meanwhile is not taken back.
async function go(to, push = true) {
  const visit = ++visits;
  keepDrafts();
  const answer = await fetch(to, { headers: { Accept: 'text/html' } });
  const text = await answer.text();
  if (visit !== visits) return false;
  if (!answer.ok) { toast(text); return false; }
  const doc = new DOMParser().parseFromString(text, 'text/html');
  document.title = doc.title;
  for (const name of ['data-live', 'data-me']) document.body.setAttribute(name, doc.body.getAttribute(name));
  document.body.className = doc.body.className;
  for (const id of ['skip', 'nav', 'main', 'pane', 'modal']) morph(document.getElementById(id), doc.getElementById(id));
  if (push) history.pushState(null, '', to);
  for (const f of all('form[data-composer]')) {
    const box = $('textarea', f);
    f.reset();
    box.value = drafts.get(f.dataset.composer) || '';
    chosen(f);
  }
  for (const log of all('[data-log]')) { toEnd(log); pillOf(log).hidden = true; }
  settle();
  listen();
  return true;
}

addEventListener('popstate', () => go(location.href, false));

document.addEventListener('click', (e) => {
  const a = e.target.closest('a[data-nav], .body a[href^="/"], .home a[href^="/"]');
  if (a && !e.ctrlKey && !e.metaKey && !e.shiftKey && !a.target) {
    e.preventDefault();
    const reply = a.matches('[data-reply], .replies');
    go(a.getAttribute('href')).then((there) => {
      if (!there) return;
      if (a.matches('[data-close]')) focusLast();
      else if (reply || !phone()) compose();
    });
    return;
  }
  if (e.target.closest('[data-theme-switch]')) switchTheme();
  const copy = e.target.closest('[data-copy]');
  if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => toast('Copied.'), () => toast('The browser lets nothing be copied.'));
  const pill = e.target.closest('[data-pill]');
  if (pill) { const log = $('[data-log]', pill.parentElement); toEnd(log); focusMessage(messages(log).at(-1)); }
  const unchosen = e.target.closest('[data-unchoose]');
  if (unchosen) unchoose(unchosen.closest('form'), +unchosen.dataset.unchoose);
  if (e.target.closest('[data-keys]')) $('#keys').showModal();
  if (e.target.closest('[data-menu]')) document.body.classList.toggle('nav-open');
  else if (!e.target.closest('#nav') || e.target.closest('a')) document.body.classList.remove('nav-open');
  for (const d of all('details.menu[open]')) if (!d.contains(e.target)) d.open = false;
});

const phone = () => matchMedia('(max-width: 720px)').matches;

// ---- Deeds.

// emptied clears a box as soon as its text is on its way, so that what is written next is not
// taken for it; putBack is for a text that did not arrive.
function emptied(form) {
  const box = $('textarea', form);
  const text = box.value;
  const place = form.dataset.composer;
  const files = $('input[type=file]', form)?.files;
  form.reset();
  drafts.delete(place);
  grow(box);
  chosen(form);
  return {
    putBack() {
      if (box.value || form.dataset.composer !== place) return;
      box.value = text;
      if (files && files.length) $('input[type=file]', form).files = files;
      grow(box);
      chosen(form);
    },
  };
}

document.addEventListener('submit', async (e) => {
  const form = e.target;
  if (form.method !== 'post') return;
  e.preventDefault();
  const button = e.submitter;
  const data = new FormData(form, button);
  const to = button && button.hasAttribute('formaction') ? button.getAttribute('formaction') : form.getAttribute('action');
  const multipart = form.enctype === 'multipart/form-data';
  const from = location.pathname;
  const sent = form.matches('[data-composer]') ? emptied(form) : null;
  const menu = (button || form).closest('details.menu');
  if (menu) { menu.open = false; focusMessage(menu.closest('article')); }
  button?.closest('[popover]')?.hidePopover();
  button?.closest('details.ways')?.removeAttribute('open');
  if (button && button.name) button.setAttribute('aria-busy', 'true');
  $('#toast').hidden = true;
  followPress();
  try {
    const answer = await fetch(to, { method: 'POST', headers: { Accept: 'application/json' }, body: multipart ? data : new URLSearchParams(data) });
    const said = answer.headers.get('Content-Type')?.includes('json') ? await answer.json() : { error: await answer.text() };
    if (said.error) { if (sent) sent.putBack(); return toast(said.error); }
    if (sent) toEnd($('[data-log]', form.parentElement));
    // Whoever went elsewhere meanwhile is not taken along.
    if (form.matches('[data-nav-after]') || (said.to && said.to !== from && from === location.pathname && form.getAttribute('action') === '/-/step')) await go(said.to);
  } catch {
    if (sent) sent.putBack();
    toast('The playground does not answer. Is it still running?');
  } finally {
    if (button) button.removeAttribute('aria-busy');
  }
});

document.addEventListener('change', (e) => {
  if (e.target.matches('[data-choose]') && e.target.value) {
    e.target.form.requestSubmit(e.target.parentElement.querySelector('button'));
  }
  if (e.target.matches('input[type=file]')) choose(e.target.form, [...kept.get(e.target) ?? [], ...e.target.files]);
});

// A menu at the end of the messages opens below what is shown.
document.addEventListener('toggle', (e) => {
  if (e.target.matches('details.menu[open]')) $('div', e.target).scrollIntoView({ block: 'nearest' });
}, true);

document.addEventListener('cancel', (e) => {
  if (!e.target.matches('dialog[data-modal]')) return;
  e.preventDefault();
  $('[data-dismiss]', e.target).click();
}, true);

let toastTimer;
function toast(text) {
  const t = $('#toast');
  t.textContent = text.trim();
  t.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { t.hidden = true; }, 8000);
}

// ---- Files.

const kept = new WeakMap(); // by input: its files, which the browser forgets when others are chosen

// chosen lists the form's files, each with a button that takes it off again.
function chosen(form) {
  const list = $('.chosen', form);
  const input = $('input[type=file]', form);
  if (!list || !input) return;
  kept.set(input, [...input.files]);
  list.replaceChildren(...[...input.files].map((f, i) => {
    const li = document.createElement('li');
    const off = document.createElement('button');
    off.type = 'button';
    off.dataset.unchoose = i;
    off.textContent = '✕';
    off.setAttribute('aria-label', `Take off ${f.name}`);
    li.append(f.name, off);
    return li;
  }));
  list.hidden = input.files.length === 0;
}

// choose replaces the form's files, and leaves out those that are in the list twice.
function choose(form, files) {
  const data = new DataTransfer();
  const seen = new Set();
  for (const f of files) {
    const key = `${f.name} ${f.size} ${f.lastModified}`;
    if (!seen.has(key)) data.items.add(f);
    seen.add(key);
  }
  $('input[type=file]', form).files = data.files;
  chosen(form);
}

function unchoose(form, at) {
  choose(form, [...$('input[type=file]', form).files].filter((_, i) => i !== at));
  ($('[data-unchoose]', form) ?? $('textarea', form)).focus();
}

const composerAt = (target) => $('form[data-composer]', target.closest?.('#pane, #main') || document) || $('form[data-composer]');

for (const name of ['dragenter', 'dragover']) {
  document.addEventListener(name, (e) => {
    if (![...e.dataTransfer.types].includes('Files')) return;
    e.preventDefault();
    document.body.classList.add('dropping');
  });
}
document.addEventListener('dragleave', (e) => { if (!e.relatedTarget) document.body.classList.remove('dropping'); });
document.addEventListener('drop', (e) => {
  if (!e.dataTransfer.files.length) return;
  e.preventDefault();
  document.body.classList.remove('dropping');
  const form = composerAt(e.target);
  if (!form) return;
  choose(form, [...$('input[type=file]', form).files, ...e.dataTransfer.files]);
  $('textarea', form).focus();
});

// ---- Writing: the box grows, Enter sends, @ and / offer names and commands.

function grow(box) {
  box.rows = Math.min(8, Math.max(box.closest('.edit') ? 3 : 1, box.value.split('\n').length));
}

// A textarea can be no combobox, but may say that it offers a list: https://www.w3.org/TR/html-aria/
const offering = { 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox', 'aria-controls': 'hint-list' };

function closeHints() {
  if (!hints) return;
  for (const name of Object.keys(offering)) hints.box.removeAttribute(name);
  hints.box.removeAttribute('aria-activedescendant');
  hints.list.remove();
  hints = null;
}

function offerHints(box) {
  const before = box.value.slice(0, box.selectionStart);
  const thread = box.form.elements.thread?.value;
  const m = /(?:^|\s)(@[\w.-]*)$/.exec(before) || (!thread && /^(\/[\w-]*)$/.exec(before));
  closeHints();
  if (!m) return;
  const options = [...$('#hints').content.children].filter((o) => o.dataset.kind === m[1][0] && o.dataset.insert.startsWith(m[1]));
  if (!options.length) return;
  const list = document.createElement('ul');
  list.className = 'hints';
  list.id = 'hint-list';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  options.forEach((o, i) => {
    const li = document.importNode(o, true);
    li.id = `hint-${i}`;
    list.append(li);
  });
  box.form.append(list);
  for (const [name, value] of Object.entries(offering)) box.setAttribute(name, value);
  hints = { box, list, typed: m[1], at: 0 };
  list.addEventListener('mousedown', (e) => {
    e.preventDefault();
    const li = e.target.closest('li');
    if (li) { pick(0, [...list.children].indexOf(li)); take(); }
  });
  pick(0);
}

function pick(step, at = hints.at) {
  const items = [...hints.list.children];
  hints.at = (at + step + items.length) % items.length;
  items.forEach((li, i) => li.setAttribute('aria-selected', i === hints.at));
  hints.box.setAttribute('aria-activedescendant', `hint-${hints.at}`);
  items[hints.at].scrollIntoView({ block: 'nearest' });
}

function take() {
  const { box, list, typed, at } = hints;
  const insert = list.children[at].dataset.insert;
  const end = box.selectionStart;
  box.setRangeText(insert, end - typed.length, end, 'end');
  closeHints();
}

document.addEventListener('input', (e) => {
  if (!e.target.matches('textarea')) return;
  grow(e.target);
  if (e.target.matches('[data-hints]')) offerHints(e.target);
});
document.addEventListener('focusout', (e) => { if (hints && e.target === hints.box) closeHints(); });

function compose() {
  const box = $('#say');
  if (box) box.focus();
}

// ---- Keys.

function focusMessage(article) {
  if (!article) return;
  article.focus();
  article.scrollIntoView({ block: 'nearest' });
}

const logAt = (el) => el.closest?.('#pane, #main') || ($('#pane:not([hidden])') ?? $('#main'));
const messages = (within) => all('.messages article', within);
const focusLast = () => focusMessage(messages(logAt(document.activeElement)).at(-1));

document.addEventListener('keydown', (e) => {
  const el = e.target;
  const writes = el.matches('textarea, input, select');
  if (hints && el === hints.box) {
    const deed = { ArrowDown: () => pick(1), ArrowUp: () => pick(-1), Enter: take, Tab: take, Escape: closeHints }[e.key];
    if (deed) { e.preventDefault(); deed(); return; }
  }
  if (el.matches('[data-enter-sends]')) {
    if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); el.form.requestSubmit($('button.primary', el.form)); return; }
    if (e.key === 'ArrowUp' && !el.value && !el.closest('dialog')) { e.preventDefault(); focusMessage(messages(logAt(el)).at(-1)); return; }
  }
  if (e.key === 'Escape') return escape(e);
  if ($('dialog[open], [popover]:popover-open')) return;
  if (e.altKey && /^Arrow(Up|Down)$/.test(e.key)) {
    const links = all('.places a[data-nav]');
    const now = links.findIndex((a) => a.getAttribute('aria-current') === 'page');
    e.preventDefault();
    links[(now + (e.key === 'ArrowUp' ? -1 : 1) + links.length) % links.length].click();
    return;
  }
  if (writes || e.ctrlKey || e.metaKey || e.altKey) return;
  const article = el.closest('.messages article');
  const list = messages(logAt(el));
  const deeds = {
    ArrowUp: () => focusMessage(article ? list[Math.max(0, list.indexOf(article) - 1)] : list.at(-1)),
    ArrowDown: () => { const next = list[list.indexOf(article) + 1]; if (article && next) focusMessage(next); else compose(); },
    c: compose, d: switchTheme,
    '?': () => $('#keys').showModal(),
    Home: () => focusMessage(list[0]), End: () => focusMessage(list.at(-1)),
    n: () => $('[data-next]')?.focus(),
    o: () => { const ways = $('details.ways'); if (ways) { ways.open = true; $('button', ways).focus(); } },
  };
  if (/^[1-9]$/.test(e.key)) deeds[e.key] = () => $(`[data-person="${e.key - 1}"]`)?.click();
  if (article && el === article) {
    const click = (selector) => $(selector, article)?.click();
    Object.assign(deeds, {
      Enter: () => click('[data-reply]'), e: () => click('[data-edit]'),
      r: () => $('.tools button', article)?.focus(),
      m: () => { const menu = $('.tools details.menu', article); if (menu) { menu.open = true; $('a, button', menu)?.focus(); } },
    });
  }
  if (deeds[e.key]) { e.preventDefault(); deeds[e.key](); }
});

function escape(e) {
  if ($('dialog[open], [popover]:popover-open')) return; // it closes by itself
  const menu = $('details.menu[open]');
  if (menu) { menu.open = false; focusMessage(menu.closest('article')); return; }
  if (document.body.classList.contains('nav-open')) { document.body.classList.remove('nav-open'); return; }
  const ways = $('details.ways[open]');
  if (ways) { ways.open = false; ($('[data-next]') ?? $('summary', ways)).focus(); return; }
  const edit = $('.edit [data-close]');
  if (!edit && e.target.matches('textarea, input, select')) { leave(e.target); return; }
  const close = edit || $('#pane [data-close]');
  if (close) { e.preventDefault(); close.click(); }
}

// leave goes from a box to the last message in sight, where the keys work.
function leave(box) {
  const log = $('[data-log]', logAt(box));
  const end = log ? log.getBoundingClientRect().bottom : 0;
  const last = log && messages(log).filter((a) => a.getBoundingClientRect().top < end).at(-1);
  box.blur();
  last?.focus({ preventScroll: true });
}

// ---- Light and dark.

function switchTheme() {
  const now = document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  setTheme(now === 'dark' ? 'light' : 'dark');
}
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem('theme', theme); } catch { /* it lasts as long as the page */ }
}
try { if (localStorage.getItem('theme')) setTheme(localStorage.getItem('theme')); } catch { /* as the system has it */ }

document.documentElement.classList.add('alive');
for (const log of all('[data-log]')) toEnd(log);
settle();
listen();
if (!phone() && !$('dialog[open]')) compose();
