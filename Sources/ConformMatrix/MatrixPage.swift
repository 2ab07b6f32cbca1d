import Conform
import Pages
import Parties

/// The matrix as a page: the table, each thing that breaks, and all habits with their sources.
package enum MatrixPage {
  package static func text(_ matrix: Matrix) -> String {
    let title = "Clients at providers"
    let body = HTML.list(
      HTML(
        .header, HTML(.h1, title), HTML(.p, class: "counts", "\(matrix.cells.count) sign-ins: \(matrix.counts)")),
      HTML(.section, class: "card", HTML(.h2, "Sign-ins"), table(matrix)),
      matrix.providers.compactMap { obstacles(matrix, $0) }, habits("Providers", matrix.providers),
      habits("Clients", matrix.clients))
    return HTMLPage(title: title, body: body, style: style).text
  }

  /// Who is wrong, and the habits that do not fit, each with its source.
  static func reasons(_ obstacle: Obstacle) -> [String] {
    let wrong =
      switch obstacle.culprit {
      case .configuration: "Both may do so; a setting of one of them has to follow the other."
      case .program: "No habit explains it: the profiles do not say enough."
      default: "The \(obstacle.culprit.rawValue) is wrong\(obstacle.rule.map { ": \($0)" } ?? "")."
      }
    return [wrong]
      + [("provider", obstacle.providerHabit), ("client", obstacle.clientHabit)].compactMap { party, habit in
        habit.map { "\(party), \($0.name): \($0.text) (\($0.source), \($0.date))" }
      }
  }

  private static func table(_ matrix: Matrix) -> HTML {
    let head = HTML(
      .tr, HTML(.th, with: ["scope": "col"], ""), matrix.clients.map { HTML(.th, with: ["scope": "col"], $0.title) })
    let rows = matrix.providers.map { provider in
      HTML(
        .tr, HTML(.th, with: ["scope": "row"], provider.title),
        matrix.clients.map { client in
          let word = matrix.cell(provider, client)?.word ?? ""
          return HTML(.td, class: word == "works" ? "good" : word == "configuration" ? "warn" : "bad", word)
        })
    }
    return HTML(.div, class: "scroll", HTML(.table, HTML(.thead, head), HTML(.tbody, rows)))
  }

  private static func obstacles(_ matrix: Matrix, _ provider: PartyProfile) -> HTML? {
    let cells = matrix.clients.compactMap { matrix.cell(provider, $0) }
    let broken = cells.compactMap { cell in cell.obstacle.map { (cell.client.title, $0) } }
    guard !broken.isEmpty else { return nil }
    let items = broken.map { client, obstacle in
      HTML(
        .article, HTML(.h3, "\(client): \(obstacle.text)"), HTML(.ul, reasons(obstacle).map { HTML(.li, $0) }))
    }
    return HTML(.section, class: "card", HTML(.h2, provider.title), items)
  }

  private static func habits(_ title: String, _ profiles: [PartyProfile]) -> HTML {
    let items = profiles.map { profile in
      let name = profile.title + (profile.version.map { " \($0)" } ?? "")
      return HTML(
        .details, HTML(.summary, "\(name): \(profile.habits.count) habits"),
        HTML(
          .ul, profile.habits.map { HTML(.li, "\($0.text) ", HTML(.span, class: "quiet", "\($0.source), \($0.date)")) })
      )
    }
    return HTML(.section, class: "card", HTML(.h2, title), items)
  }

  private static let style = """
    .counts { font-size: 1.05rem; font-weight: 600; } article { border-top: 1px solid var(--faint); padding: .5rem 0; }
    .scroll { overflow-x: auto; } li { overflow-wrap: anywhere; }

    """
}
