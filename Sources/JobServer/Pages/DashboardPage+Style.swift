import JSON

extension DashboardPage {
  static let style = """
    .top { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; margin: 0 0 1rem; }
    .top nav { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; } .person { margin-left: auto; color: var(--quiet); }
    .head { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; } .head h2 { margin: 0; }
    .badge { padding: .1rem .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .8rem; font-weight: 500; }
    .now { color: var(--accent); }
    .strip { display: flex; gap: 2px; margin-left: auto; } .strip a { position: relative; overflow: hidden; width: .55rem; height: 1.2rem; border-radius: 2px;
      background: currentColor; } .strip span { position: absolute; clip-path: inset(50%); }
    .buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0 0; }
    .do { padding: .35rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); }
    .do:hover { border-color: var(--accent); color: var(--accent); }
    .wide { overflow-x: auto; } .wide td, .wide code { overflow-wrap: break-word; } main th { overflow-wrap: normal; }
    .wide td:last-child { min-width: 9rem; overflow-wrap: anywhere; } .date { white-space: nowrap; }
    @media (max-width: 40rem) { .runs tr { display: flex; flex-wrap: wrap; gap: 0 .6rem; padding: .3rem 0; border-bottom: 1px solid var(--faint); }
      .runs tr:first-child, .runs td:empty { display: none; } .runs td { width: auto; padding: 0; border: 0; }
      .runs td:last-child { flex-basis: 100%; } }
    .facts-table { width: auto; } .facts-table th { padding-right: 1.5rem; }
    progress { width: min(24rem, 100%); accent-color: var(--accent); }

    """

  /// Loads the page again while something goes on, and keeps the place of the reader. The log stays at its end.
  static let script = """
    const main = document.querySelector("main"), pause = Number(main.dataset.pause || 0);
    const end = log => log && (log.scrollTop = log.scrollHeight);
    end(document.querySelector("#log"));
    async function load() {
      try {
        if (document.hidden || main.contains(document.activeElement)) return;
        const response = await fetch(location.href, { cache: "no-store" });
        if (!response.ok) return;
        const page = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main");
        const log = document.querySelector("#log"), top = log && log.scrollTop;
        const follows = !log || log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
        if (page.innerHTML !== main.innerHTML) main.innerHTML = page.innerHTML;
        const other = document.querySelector("#log");
        if (follows) end(other); else if (other) other.scrollTop = top;
        if (!page.dataset.pause) clearInterval(timer);
      } catch { }
    }
    const timer = pause ? setInterval(load, pause * 1000) : 0;
    """

  static func number(_ json: JSON?) -> Double? {
    switch json {
    case .integer(let value)?: Double(value)
    case .number(let value)?: value
    default: nil
    }
  }
}
