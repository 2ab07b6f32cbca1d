extension HTMLPage {
  /// The look that all pages share: colors, letters, tables, cards. No page sets a color of its own.
  static let commonStyle = """
    :root { color-scheme: light dark; --ink: #1c2430; --quiet: #566273; --faint: #d5dce4; --line: #a9b4c1; --paper: #fff;
      --ground: #f3f5f8; --accent: #0b5cad; --accent-ground: #e5effa; --good: #1c6e3d; --warn: #8a5a00; --bad: #a4161a;
      --bad-ground: #fdf0f0; --one: #3b76b8; --two: #7a5cb0; --three: #c07a1a; --four: #4b9a6a; --five: #9aa5b1;
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
    @media screen and (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --quiet: #a3afbd; --faint: #2e3742; --line: #56626f;
      --paper: #171c23; --ground: #0f1318; --accent: #7db8f0; --accent-ground: #1b2c3f; --good: #7ccf9a; --warn: #e6b85c;
      --bad: #ff9d9d; --bad-ground: #331b1e; --one: #6ea6e2; --two: #b09ae0; --three: #e0a552; --four: #79c798;
      --five: #6d7986; } }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 4rem; -webkit-text-size-adjust: 100%; }
    body { margin: 0 auto; padding: 1.5rem clamp(.75rem, 3vw, 2.5rem) 4rem; max-width: 96rem; background: var(--ground);
      color: var(--ink); font: .9375rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 600; overflow-wrap: anywhere; }
    h2 { margin: 0 0 .75rem; font-size: 1.1rem; font-weight: 600; }
    h3 { margin: 1rem 0 .35rem; font-size: .95rem; font-weight: 600; }
    p { margin: .25rem 0; }
    a { color: var(--accent); }
    code, pre, .mono { font-family: var(--mono); font-size: .85em; overflow-wrap: anywhere; }
    pre { margin: .25rem 0; padding: .6rem .75rem; max-height: 24rem; overflow: auto; border-radius: .4rem;
      background: var(--ground); white-space: pre-wrap; }
    button { border: 0; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    .quiet { color: var(--quiet); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
    .facts { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; margin: .35rem 0 0; padding: 0; list-style: none;
      color: var(--quiet); }
    .facts b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
    .card { margin: 1.25rem 0 0; padding: 1.1rem clamp(.75rem, 2vw, 1.4rem); border: 1px solid var(--faint);
      border-radius: .75rem; background: var(--paper); }
    .problem { margin: .25rem 0 .5rem; padding: .5rem .75rem; border-left: 3px solid var(--bad); border-radius: .25rem;
      background: var(--bad-ground); color: var(--ink); overflow-wrap: anywhere; }
    .problem b { color: var(--bad); }
    table { border-collapse: collapse; width: 100%; font-size: .875rem; }
    th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--faint); text-align: left; vertical-align: top;
      overflow-wrap: anywhere; }
    th { color: var(--quiet); font-weight: 500; }
    td.number, th.number { width: 1%; padding-left: .6rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    svg { display: block; overflow: visible; } svg text { fill: currentColor; font-size: 12px; }
    .chart { width: 100%; } .chart .grid { stroke: var(--faint); } .chart text { fill: var(--quiet); font-size: 11px; }
    @media print { :root { color-scheme: light; --ground: #fff; } .legend i, .problem { print-color-adjust: exact; } body { padding: 0; max-width: none; font-size: 9pt; }
      .card { border: 0; padding: 0; } pre { max-height: none; } .screen { display: none !important; }
      h2, h3 { break-after: avoid; } tr, .problem { break-inside: avoid; } }

    """
}
