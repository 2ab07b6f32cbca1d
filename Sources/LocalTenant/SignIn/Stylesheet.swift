import Pages
import TenantTexts

/// The style of a page. It is part of the page, because a page loads nothing.
struct Stylesheet: Sendable {
  let text: String
  let source: String

  init(_ text: String) {
    self.text = text
    source = HTMLPage.source(of: text)
  }
}

extension Stylesheet {
  /// Texts have a contrast of at least 4.5:1, borders of fields at least 3:1 (WCAG 2.2, 1.4.3, 1.4.11).
  static let plain = Stylesheet(
    """
    :root { color-scheme: light dark; --ink: #1c2430; --quiet: #5a6675; --line: #788494; --paper: #fff; --ground: #eef1f5;
      --accent: #0b5cad; --accent-ink: #fff; --error: #a4161a; --error-ground: #fdeeee; }
    @media screen and (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --quiet: #a5b0bd; --line: #7c8897; --paper: #1b2129;
      --ground: #12161b; --accent: #7db8f0; --accent-ink: #0d1a27; --error: #ff9d9d; --error-ground: #3a1d1f; } }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 1rem;
      padding: clamp(0rem, 8vh, 6rem) 0 1rem; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word; }
    main { width: min(100%, 26rem); padding: 2rem; background: var(--paper); border-radius: .75rem;
      box-shadow: 0 1px 2px #0002, 0 8px 24px #0001; }
    h1 { margin: .25rem 0 .25rem; font-size: 1.6rem; line-height: 1.2; font-weight: 600; }
    p { margin: .25rem 0 1rem; }
    .brand { margin: 0; color: var(--quiet); font-weight: 600; letter-spacing: .02em; }
    .brand span { color: var(--accent); }
    .quiet, footer { color: var(--quiet); font-size: .9rem; }
    label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
    input { width: 100%; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper);
      color: inherit; font: inherit; }
    input[aria-invalid="true"] { border-color: var(--error); box-shadow: inset 0 0 0 1px var(--error); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .hint { margin: .25rem 0 0; color: var(--quiet); font-size: .85rem; }
    .problem { margin: 0 0 .25rem; color: var(--error); font-size: .9rem; }
    .buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 1rem; }
    button { flex: 1 1 auto; min-width: 8rem; max-width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem;
      background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
    button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
    button.more { flex-basis: 100%; }
    a { color: var(--accent); }
    ul { margin: .25rem 0 1rem; padding-left: 1.25rem; overflow-wrap: anywhere; }
    .error { margin: 1rem 0 0; padding: .75rem 1rem; border-left: 4px solid var(--error); border-radius: .25rem;
      background: var(--error-ground); color: var(--error); }
    .error p, .error ul { margin: 0; }
    .error .code { font-size: .85rem; }
    .error a { color: inherit; }
    pre { margin: .25rem 0 1rem; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap;
      overflow-wrap: anywhere; font-size: .85rem; user-select: all; }
    footer { padding: 0 1rem; text-align: center; }
    @media (max-width: 30rem) { body { padding-top: 0; } main { border-radius: 0; padding: 1.5rem 1.25rem; } }
    """)

  /// The style sheet of the status page, which is wider and has lists and a table.
  static let status = Stylesheet(
    plain.text + """

      :root { --rule: color-mix(in srgb, var(--line) 45%, transparent); }
      main { width: min(100%, 64rem); }
      h2 { margin: 2rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-size: 1.2rem; line-height: 1.3; }
      h3 { margin: 0; font-size: 1rem; }
      .cards, td, .quiet code { overflow-wrap: anywhere; }
      .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 1rem 2rem;
        margin: 1rem 0; padding: 0; list-style: none; }
      .cards p { margin: 0; }
      .cards ul { margin: 0; }
      code { font-size: .9em; }
      table { width: 100%; border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
      th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
      th { color: var(--quiet); font-weight: 600; }
      td.time, td.method, td.status { white-space: nowrap; }
      td.status.failed { color: var(--error); font-weight: 600; }
      @media (max-width: 30rem) { table { font-size: .8rem; } th, td { padding-right: .4rem; } }
      @media print { body { display: block; padding: 0; } main { width: auto; padding: 0; box-shadow: none; }
        h2, h3 { break-after: avoid; } tr, li { break-inside: avoid; } }
      """)
}
