"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent).abstracts;
  const form = document.getElementById("filters"), status = document.getElementById("status");
  const list = document.getElementById("list"), more = document.getElementById("more"), tip = document.getElementById("tip");
  const STEP = 20, NAMES = ["method", "dataset", "metric", "url"];
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const articles = [...list.children];
  data.forEach((abstract, place) => {
    abstract.node = articles[place];
    abstract.place = place;
    abstract.search = fold(["h3", ".origin", ".text"].map((part) => abstract.node.querySelector(part).textContent).join("\n"));
    abstract.doubt = Math.min(2, ...abstract.rows.map((row) => row[5])); // nothing found: last
  });
  let limit = STEP, shown = data;

  // Filters -------------------------------------------------------------------------------------------------
  const values = () => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  const holds = (abstract, wanted) =>
    NAMES.every((kind) => !wanted[kind] || abstract.rows.some((row) => row[6] === kind && row[2] !== null && fold(row[2]) === fold(wanted[kind]))) &&
    (!wanted.flag || abstract.flags.includes(wanted.flag)) &&
    (!wanted.language || abstract.language === wanted.language) &&
    (!wanted.file || abstract.files.includes(wanted.file)) &&
    fold(wanted.q || "").split(/\s+/).every((word) => abstract.search.includes(word));
  const ORDERS = {
    doubt: (a, b) => a.doubt - b.doubt || a.place - b.place,
    many: (a, b) => b.rows.length - a.rows.length || a.place - b.place,
    few: (a, b) => a.rows.length - b.rows.length || a.place - b.place,
  };

  function draw() {
    const visible = new Set(shown.slice(0, limit));
    for (const abstract of data) abstract.node.hidden = !visible.has(abstract);
    status.textContent = shown.length === 0 ? "No abstract fits." : `${visible.size} of ${shown.length} shown` + (shown.length < data.length ? `, ${data.length} in all` : "");
    more.parentNode.hidden = visible.size === shown.length;
  }

  function apply(keep) {
    const wanted = values();
    shown = data.filter((abstract) => holds(abstract, wanted));
    const order = ORDERS[wanted.order];
    if (order) shown.sort(order);
    for (const abstract of order ? shown : data) list.append(abstract.node);
    limit = STEP;
    draw();
    light(fold(wanted.q || "").split(/\s+/).filter(Boolean));
    if (keep !== false) history.replaceState(null, "", Object.keys(wanted).length ? `#?${new URLSearchParams(wanted)}` : "#abstracts");
  }

  // Words that were searched for, marked without touching the page; older browsers just do not mark them.
  function light(words) {
    if (!window.Highlight || !CSS.highlights) return;
    const ranges = [];
    for (const abstract of words.length ? shown.slice(0, limit) : []) {
      const walker = document.createTreeWalker(abstract.node.querySelector(".text"), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (const word of words)
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            ranges.push(range);
          }
      }
    }
    CSS.highlights.set("search", new Highlight(...ranges));
  }

  function offer() {
    const add = (parent, value, label) => {
      const option = document.createElement("option");
      option.value = value;
      if (label) option.textContent = label;
      parent.append(option);
    };
    const count = (pick) => {
      const counts = new Map();
      for (const abstract of data) for (const value of new Set(pick(abstract))) if (value) counts.set(value, (counts.get(value) || 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    };
    for (const kind of NAMES)
      for (const [value] of count((abstract) => abstract.rows.filter((row) => row[6] === kind).map((row) => row[2]))) add(document.getElementById(`list-${kind}`), value);
    for (const [name, pick] of [["flag", (a) => a.flags], ["language", (a) => [a.language]], ["file", (a) => a.files]])
      for (const [value, number] of count(pick)) add(form.elements[name], value, `${value} (${number})`);
  }

  // What was found: a table per abstract, made when it is opened ------------------------------------------------
  const cell = (row, text, head) => {
    const node = document.createElement(head ? "th" : "td");
    node.textContent = text;
    row.append(node);
    return node;
  };
  function fill(details, abstract) {
    if (details.dataset.full || !abstract.rows.length) return;
    details.dataset.full = "1";
    const scroll = document.createElement("div"), table = document.createElement("table"), head = table.createTHead().insertRow();
    scroll.className = "scroll";
    for (const name of ["Kind", "Name", "What it says", "Rule", "Precision of the rule"]) cell(head, name, true).scope = "col";
    head.lastChild.className = "number";
    const body = table.createTBody();
    abstract.rows.forEach(([kind, name, , text, rule, confidence], place) => {
      const row = body.insertRow();
      cell(row, kind);
      const link = document.createElement("a");
      link.href = `#${abstract.id}`;
      link.textContent = name;
      link.addEventListener("click", (event) => {
        event.preventDefault();
        marks(abstract.node).find((mark) => mark.dataset.r.split(" ").includes(String(place)))?.focus();
      });
      cell(row, "").append(link);
      cell(row, text);
      cell(row, rule);
      cell(row, String(confidence)).className = "number";
    });
    scroll.append(table);
    details.append(scroll);
  }

  // Marks: one stop of the Tab key per abstract, arrow keys from mark to mark -------------------------------------
  const marks = (node) => [...node.querySelectorAll("mark")];
  const owner = (node) => data.find((abstract) => abstract.node === node.closest("article"));
  function explain(mark) {
    const abstract = owner(mark);
    tip.replaceChildren(...mark.dataset.r.split(" ").map((place) => {
      const [kind, name, , text, rule, confidence] = abstract.rows[place];
      const part = document.createElement("div"), title = document.createElement("b");
      title.textContent = name;
      part.append(title, `${kind}: ${text}`, document.createElement("br"), `rule ${rule}, precision ${confidence}`);
      return part;
    }));
    tip.hidden = false;
    for (const other of marks(abstract.node)) other.classList.toggle("lit", other.dataset.r === mark.dataset.r);
    mark.setAttribute("aria-describedby", "tip");
    const box = mark.getClientRects()[0], width = document.documentElement.clientWidth;
    const above = box.top > tip.offsetHeight + 70;
    tip.style.left = `${Math.max(8, Math.min(box.left, width - tip.offsetWidth - 8)) + scrollX}px`;
    tip.style.top = `${(above ? box.top - tip.offsetHeight - 6 : mark.getBoundingClientRect().bottom + 6) + scrollY}px`;
  }
  function hush(mark) {
    tip.hidden = true;
    mark.removeAttribute("aria-describedby");
    for (const other of marks(mark.closest("article"))) other.classList.remove("lit");
  }
  for (const [name, act] of [["pointerover", explain], ["focusin", explain], ["pointerout", hush], ["focusout", hush]])
    list.addEventListener(name, (event) => { if (event.target.matches("mark")) act(event.target); });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") tip.hidden = true;
    if (!step || !event.target.matches("mark")) return;
    const all = marks(event.target.closest("article")), next = all[all.indexOf(event.target) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  for (const abstract of data) {
    marks(abstract.node).forEach((mark, place) => { mark.tabIndex = place ? -1 : 0; });
    const details = abstract.node.querySelector("details");
    details.addEventListener("toggle", () => fill(details, abstract));
  }

  // Addresses: #<id> shows one abstract, #?method=… a filter --------------------------------------------------------
  function arrive() {
    const hash = decodeURIComponent(location.hash.slice(1).split("?")[0]);
    if (location.hash.startsWith("#?")) {
      form.reset();
      for (const [name, value] of new URLSearchParams(location.hash.slice(2))) {
        const field = form.elements[name];
        if (!field || field.tagName === "BUTTON") continue;
        field.value = value;
      }
      apply(false);
      document.getElementById("abstracts").scrollIntoView();
    } else if (data.some((abstract) => abstract.id === hash)) {
      const abstract = data.find((entry) => entry.id === hash);
      if (abstract.node.hidden) {
        if (!shown.includes(abstract)) {
          form.reset();
          apply(false);
        }
        limit = shown.indexOf(abstract) + STEP;
        draw();
      }
      abstract.node.scrollIntoView();
    }
  }

  for (const node of document.querySelectorAll(".scripted")) node.hidden = false;
  form.hidden = false;
  offer();
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  more.addEventListener("click", () => {
    const first = shown[limit];
    limit += STEP;
    draw();
    first.node.querySelector("a").focus();
  });
  addEventListener("hashchange", arrive);
  apply(false);
  arrive();
})();
