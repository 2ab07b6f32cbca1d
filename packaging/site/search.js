// Searches the sections of all pages. The index is a script, so that the search works without a server.
"use strict";

const form = document.querySelector(".search");
const field = document.querySelector("#search");
const list = document.querySelector("#results");
const menu = document.querySelector(".menu");
const most = 12;
let chosen = -1;

// The list of pages is open if it has a separate column.
const isNarrow = matchMedia("(max-width: 50rem)");
const fitMenu = () => { menu.open = !isNarrow.matches; };
isNarrow.addEventListener("change", fitMenu);
fitMenu();
menu.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
form.hidden = false;

const sections = window.searchIndex.map(([target, page, heading, text]) => ({
  target, page, heading, text,
  title: `${page} ${heading}`.toLowerCase(),
  words: text.toLowerCase(),
}));

// Every word has to be in the section. A word in the title counts more than one in the text, and its beginning more still.
// The changelog comes last.
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const place = section.title.indexOf(word);
    const isBeginning = place === 0 || (place > 0 && /[^a-z0-9]/.test(section.title[place - 1]));
    if (place >= 0) sum += isBeginning ? 30 : 12;
    else if (section.words.includes(word)) sum += 3;
    else return 0;
  }
  if (section.page === "Changelog") return sum / 10;
  return sum + (section.heading ? 0 : 4) + 4 / (1 + section.title.length / 20);
}

function marked(parent, text, words) {
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "gi");
  let position = 0;
  for (const found of text.matchAll(pattern)) {
    parent.append(text.slice(position, found.index));
    const mark = document.createElement("mark");
    mark.textContent = found[0];
    parent.append(mark);
    position = found.index + found[0].length;
  }
  parent.append(text.slice(position));
}

function excerpt(section, words) {
  const places = words.map((word) => section.words.indexOf(word)).filter((place) => place >= 0);
  const begin = places.length ? Math.max(0, Math.min(...places) - 30) : 0;
  const word = begin > 0 ? section.text.indexOf(" ", begin) + 1 : 0;
  return (word > 0 ? "…" : "") + section.text.slice(word, word + 140);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
  list.hidden = words.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  if (list.hidden) return;
  const found = sections.map((section) => ({ section, value: score(section, words) })).filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value).slice(0, most);
  found.forEach(({ section }, number) => {
    const row = document.createElement("li");
    row.id = `result-${number}`;
    row.setAttribute("role", "option");
    const link = document.createElement("a");
    link.href = section.target;
    link.tabIndex = -1;
    marked(link, section.heading ? `${section.page}: ${section.heading}` : section.page, words);
    const text = document.createElement("small");
    marked(text, excerpt(section, words), words);
    link.append(text);
    row.append(link);
    list.append(row);
  });
  if (found.length === 0) {
    const row = document.createElement("li");
    row.className = "none";
    row.textContent = "No section has these words.";
    list.append(row);
  } else {
    choose(0);
  }
}

function choose(number) {
  const rows = list.querySelectorAll("[role=option]");
  if (rows.length === 0) return;
  chosen = (number + rows.length) % rows.length;
  rows.forEach((row, index) => row.setAttribute("aria-selected", String(index === chosen)));
  rows[chosen].scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", rows[chosen].id);
}

function close() {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
}

field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Escape") { close(); field.blur(); } else return;
  event.preventDefault();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const link = list.querySelectorAll("[role=option] a")[chosen];
  if (!link) return;
  close();
  location.href = link.href;
});
list.addEventListener("click", close);
document.addEventListener("click", (event) => { if (!form.contains(event.target)) close(); });
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, [contenteditable]");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
});
