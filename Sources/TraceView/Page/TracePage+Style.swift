extension TracePage {
  static let style = """
    header nav { position: sticky; top: 0; display: flex; gap: .25rem; margin: .9rem 0 -.4rem; }
    nav a { padding: .25rem .7rem; border-radius: 1rem; color: var(--quiet); text-decoration: none; }
    nav a:hover { background: var(--accent-ground); color: var(--accent); }
    .layout { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.25rem; align-items: start; }
    .heads, .diagram ol button { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr); }
    .heads { position: sticky; top: 0; z-index: 2; padding: .35rem 0; background: var(--paper);
      border-bottom: 1px solid var(--faint); }
    .heads div { display: flex; } .heads span { flex: 1 1 0; text-align: center; font-weight: 600; font-size: .82rem; }
    .rows { position: relative; } .rows ol { position: relative; margin: 0; padding: .25rem 0 0; list-style: none; }
    .lanes { position: absolute; top: 0; right: 0; width: calc(100% - 3.6rem); height: 100%; }
    .lanes line { stroke: var(--faint); stroke-width: 1.5; }
    ol button { position: relative; width: 100%; padding: 0; border-radius: .35rem; }
    ol button:hover { --halo: color-mix(in srgb, var(--accent) 7%, var(--paper));
      background: color-mix(in srgb, var(--accent) 7%, transparent); }
    ol button.chosen { --halo: color-mix(in srgb, var(--accent) 13%, var(--paper));
      background: color-mix(in srgb, var(--accent) 13%, transparent); }
    ol button:focus-visible { outline-offset: -2px; }
    ol svg { width: 100%; }
    .at { padding: .12rem .4rem 0 .2rem; color: var(--quiet); font: .72rem/1.6 var(--mono); font-variant-numeric: tabular-nums; }
    .diagram text, .waterfall ol text { paint-order: stroke; stroke: var(--halo, var(--paper)); stroke-width: 4px;
      stroke-linejoin: round; }
    .go { stroke: var(--one); stroke-width: 1.5; } .back { stroke: var(--line); stroke-width: 1.25; stroke-dasharray: 4 3; }
    .diagram use { fill: var(--one); } .diagram use[y="39"] { fill: var(--line); }
    .diagram .answer, .quiet > button text { fill: var(--quiet); } .diagram .answer { font-size: 11px; }
    .note use { fill: var(--line); } .note.good use { fill: var(--good); } .note.warn use { fill: var(--warn); }
    .note.good text { fill: var(--good); } .note.warn text { fill: var(--warn); }
    .message .go, .message.good .go { stroke: var(--two); } .message use { fill: var(--two); }
    .message.good .go { stroke: var(--good); } .message.good use { fill: var(--good); }
    .message.good text { fill: var(--good); font-weight: 600; }
    .bad > button .go, .bad > button .back { stroke: var(--bad); } .bad > button use { fill: var(--bad) !important; }
    .bad > button text { fill: var(--bad); }
    .call { margin-top: .5rem; padding-top: .35rem; border-top: 1px solid var(--faint); } .call:first-child { border: 0; margin: 0; }
    .call text { font: 600 12px var(--mono); } .call .go { stroke: var(--ink); } .call use { fill: var(--ink); }
    .call .line { position: absolute; right: .25rem; top: .2rem; color: var(--quiet); font: .72rem/1.4 var(--mono); background: var(--paper); }
    .words { grid-column: 2; padding: 0 .25rem .25rem; font-size: .8rem; text-align: center; overflow-wrap: anywhere;
      justify-self: center; background: var(--halo, var(--paper)); }
    .words.left { justify-self: start; text-align: left; } .words.right { justify-self: end; text-align: right; }
    .warn > button .words { color: var(--warn); } .bad > button .words { color: var(--bad); }
    .quiet > button .words { color: var(--quiet); } .good > button .words { color: var(--good); }
    .folded .go { stroke-width: 3.5; } .folded > button[aria-expanded=true] { --halo: var(--accent-ground); background: var(--halo); }
    .marked > button { --halo: color-mix(in srgb, var(--warn) 9%, var(--paper)); box-shadow: -3px 0 var(--warn);
      background: color-mix(in srgb, var(--warn) 9%, transparent); border-radius: 0 .35rem .35rem 0; }
    li > .problem { position: relative; margin: .1rem .25rem .5rem 3.6rem; font-size: .85rem; }
    .unfolded { max-height: 26rem; margin: .15rem 0 .6rem 3.6rem !important; padding: 0; overflow: auto; background: var(--ground);
      border-radius: .4rem; }
    .rows ol ol button, .unfolded button { display: flex; gap: 1rem; padding: .1rem .6rem; font: .78rem/1.6 var(--mono); }
    .unfolded button > span:nth-child(3) { min-width: 4.5rem; text-align: right; } .unfolded .bad { color: var(--bad); } .unfolded button > span:last-child { flex: 1; overflow-wrap: anywhere; color: var(--quiet); }
    .more button { padding: .4rem .6rem .4rem 3.6rem; color: var(--accent); }
    .legend { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: 0 0 .5rem; padding: 0; list-style: none;
      color: var(--quiet); font-size: .8rem; }
    .legend i { display: inline-block; width: .65rem; height: .65rem; margin-right: .35rem; border-radius: .15rem; }
    .waterfall .lanes { width: calc(100% - 13rem); } .axis, .waterfall > .rows > ol > li > button { display: grid;
      grid-template-columns: 13rem minmax(0, 1fr); } .axis text { fill: var(--quiet); font-size: 11px; }
    .axis svg { width: 100%; }
    .waterfall .name { overflow: hidden; padding-right: .6rem; font: .78rem/22px var(--mono); text-overflow: ellipsis; white-space: nowrap; }
    .waterfall ol text { fill: var(--quiet); font-size: 11px; } .waterfall .bad text, .waterfall .bad .name { fill: var(--bad); color: var(--bad); }
    .whole, i.blocked { fill: var(--five); background: var(--five); } rect.blocked { fill: var(--five); }
    .dns { fill: var(--two); background: var(--two); } .connect { fill: var(--three); background: var(--three); }
    .tls { fill: var(--bad); background: var(--bad); opacity: .75; } .send { fill: var(--accent); background: var(--accent); }
    .wait { fill: var(--one); background: var(--one); } .receive { fill: var(--four); background: var(--four); } .many { fill: var(--one); }
    details.token { padding: .4rem 0; border-top: 1px solid var(--faint); } details.token:first-of-type { border: 0; }
    summary { cursor: pointer; overflow-wrap: anywhere; } .claims th { width: 8rem; } .claims td:last-child { width: 30%; }
    .claims td span { color: var(--good); } .checks th { width: 13rem; color: var(--ink); font-weight: 400; }
    #panel { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; overscroll-behavior: contain; }
    #panel h2 { padding-right: 2rem; font: 600 .92rem/1.4 var(--mono); overflow-wrap: anywhere; } #close { position: absolute; top: .6rem; right: .6rem;
      width: 2.25rem; height: 2.25rem; border-radius: .4rem; text-align: center; }
    #panel th, #appendix th { width: 9.5rem; }
    @media (min-width: 64rem) { .layout.open { grid-template-columns: minmax(0, 1fr) minmax(24rem, 36%); } }
    @media (max-width: 63.99rem) { #panel { position: fixed; z-index: 5; inset: auto 0 0 0; max-height: 62vh; margin: 0;
      border-radius: .9rem .9rem 0 0; box-shadow: 0 -8px 32px #0004; } }
    @media (max-width: 40rem) { .heads, .diagram ol button { grid-template-columns: 2.9rem minmax(0, 1fr); }
      .lanes { width: calc(100% - 2.9rem); } .heads span { font-size: .63rem; } .at { padding-left: 0; font-size: .66rem; }
      .call .line { position: static; grid-column: 2; padding: 0 0 .2rem .5rem; }
      svg text { font-size: 11px; } .axis text:nth-child(even) { display: none; } li > .problem, .unfolded { margin-left: 0 !important; }
      .axis, .waterfall > .rows > ol > li > button { grid-template-columns: 6.5rem minmax(0, 1fr); }
      .waterfall .lanes { width: calc(100% - 6.5rem); } .waterfall .name { font-size: .7rem; }
      .claims td:last-child { display: none; } .claims th { width: 5.5rem; } .checks th, #panel th { width: 7rem; }
      .card { margin-left: -.25rem; margin-right: -.25rem; } }
    @media print { .heads { position: static; break-inside: avoid; break-after: avoid; } .rows li { break-inside: avoid; } .claims td:last-child { display: none; }
      .layout { display: block; } ol button { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      .more { display: none; } #appendix h2 { margin-top: 1.25rem; } #appendix article { margin-top: 1rem; border-top: 1px solid #999; } }

    """
}
