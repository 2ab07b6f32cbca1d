extension PlanPage {
  static let style = """
    .counts { color: var(--ink); } .note { margin: .5rem 0 0; padding: .4rem .75rem; border-left: 3px solid var(--warn);
      background: var(--paper); overflow-wrap: anywhere; } .facts li { overflow-wrap: anywhere; }
    #filters { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .9rem;
      margin: 1rem 0 0; padding: .5rem 0; background: var(--ground); } #filters[hidden] { display: none; }
    #filters label { display: inline-flex; align-items: center; gap: .3rem; min-height: 1.75rem; cursor: pointer; }
    #filters [type=checkbox] { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); }
    #filters [type=search] { flex: 1 1 12rem; max-width: 24rem; padding: .4rem .6rem; border: 1px solid var(--line);
      border-radius: .4rem; background: var(--paper); color: inherit; font: inherit; }
    summary { cursor: pointer; } summary h2 { display: inline; margin: 0 .75rem 0 0; color: inherit; }
    details[open] summary { margin-bottom: .6rem; } details[hidden], .piece[hidden], tr[hidden] { display: none; }
    .piece { content-visibility: auto; contain-intrinsic-size: auto 8000px; } .piece table { table-layout: fixed; }
    td:nth-child(1), th:nth-child(1) { width: 4.5rem !important; padding-right: 1rem; } td:nth-child(2), th:nth-child(2) {
      width: 38%; } td p { margin: 0; } .rest { margin-top: .75rem; }
    .old { color: var(--quiet); text-decoration: line-through; text-decoration-thickness: 1px; } .new { color: var(--good); }
    td b { font-weight: 500; color: var(--quiet); }
    @media (max-width: 40rem) { thead { display: none; } tr:not([hidden]) { display: grid; grid-template-columns: 3.2rem 1fr;
        border-bottom: 1px solid var(--faint); } td { width: auto !important; border: 0; } td:nth-child(3) {
        grid-column: 2; padding-top: 0; } td:nth-child(1) { padding-left: 0; text-align: left; }
      #filters { position: static; } #filters [type=search] { flex-basis: 100%; max-width: none; } }
    @media print { .piece { content-visibility: visible; } }

    """

  /// The filters: by action, and by a text in a row.
  static let script = #"""
    "use strict";
    const filters = document.querySelector("#filters");
    const search = filters.querySelector("[type=search]");
    const boxes = [...filters.querySelectorAll("[type=checkbox]")];
    const number = new Intl.NumberFormat("en");
    const parts = [...document.querySelectorAll("main > details")].map((part) => ({
      part, box: boxes.find((box) => box.value === part.id), found: part.querySelector(".found"), wasOpen: part.open,
      pieces: [...part.querySelectorAll(".piece")].map((piece) => ({ piece, rows: null })),
    }));
    const rowsOf = (one) => one.rows ??= [...one.piece.querySelectorAll("tbody tr")].map((row) => (
      { row, text: row.textContent.toLowerCase() }));
    const filter = () => {
      const text = search.value.trim().toLowerCase();
      let all = 0;
      for (const one of parts) {
        const { part, box, found, pieces } = one;
        part.hidden = !box.checked;
        if (part.hidden) continue;
        let shown = 0;
        for (const each of pieces) {
          let some = 0;
          for (const { row, text: words } of rowsOf(each)) {
            row.hidden = text !== "" && !words.includes(text);
            some += row.hidden ? 0 : 1;
          }
          each.piece.hidden = some === 0;
          shown += some;
        }
        all += shown;
        found.textContent = text === "" ? "" : `${number.format(shown)} found`;
        part.open = text === "" ? one.wasOpen : shown > 0;
      }
      filters.querySelector("#found").textContent = text === "" ? "" : `${number.format(all)} found`;
    };
    let timer = 0;
    search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(filter, 120); });
    for (const box of boxes) box.addEventListener("change", filter);
    for (const one of parts) one.part.addEventListener("toggle", () => { if (search.value.trim() === "") one.wasOpen = one.part.open; });
    filters.hidden = parts.length === 0;
    addEventListener("beforeprint", () => {
      for (const { part } of parts) { part.dataset.was = part.open; part.open = part.id !== "same" && part.id !== "skipped"; }
    });
    addEventListener("afterprint", () => { for (const { part } of parts) part.open = part.dataset.was === "true"; });

    """#
}
