extension Page {
  static let style = """
    :root { color-scheme: light dark; --ink: #1c2430; --quiet: #5a6675; --line: #8b97a6; --paper: #fff; --ground: #eef1f5;
      --accent: #0b5cad; --accent-ink: #fff; --error: #a4161a; --error-ground: #fdeeee; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --quiet: #a5b0bd; --line: #6b7786; --paper: #1b2129;
      --ground: #12161b; --accent: #7db8f0; --accent-ink: #0d1a27; --error: #ff9d9d; --error-ground: #3a1d1f; } }
    * { box-sizing: border-box; }
    body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; gap: 1rem;
      padding: clamp(0rem, 8vh, 6rem) 0 1rem; background: var(--ground); color: var(--ink);
      font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
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
    input[aria-invalid="true"] { border-color: var(--error); }
    input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .hint { margin: .25rem 0 0; color: var(--quiet); font-size: .85rem; }
    .buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 1rem; }
    button { flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .4rem;
      background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
    button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
    button.more { flex-basis: 100%; }
    a { color: var(--accent); }
    ul { padding-left: 1.25rem; overflow-wrap: anywhere; }
    .error { margin: 1rem 0 0; padding: .75rem 1rem; border-left: 4px solid var(--error); border-radius: .25rem;
      background: var(--error-ground); color: var(--error); }
    .error p { margin: 0; }
    .error .code { font-size: .85rem; }
    .error a { color: inherit; }
    pre { padding: .75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap;
      overflow-wrap: anywhere; font-size: .85rem; user-select: all; }
    footer { padding: 0 1rem; text-align: center; }
    @media (max-width: 30rem) { body { padding-top: 0; } main { border-radius: 0; padding: 1.5rem 1.25rem; } }
    """
}
