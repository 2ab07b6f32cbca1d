extension ImportReportPage {
  /// What the style of pages with charts lacks for this one.
  static let style = """
    .tables { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1.5rem 3rem; } .tables table { flex: 0 1 17rem;
      width: auto; }
    #failures td:nth-child(3) { width: 45%; }
    @media (max-width: 40rem) { #failures tr { display: grid; grid-template-columns: 4rem 4rem 1fr; padding-bottom: .3rem;
        border-bottom: 1px solid var(--faint); } #failures th, #failures td { width: auto !important; border: 0; padding-left: 0; }
      #failures td:nth-child(n+3) { grid-column: 1 / -1; } #failures td:nth-child(4) { color: var(--quiet); }
      #failures th:nth-child(n+3) { display: none; } }

    """
}
