import Core
import Parties

/// The matrix for the terminal: a table, then each thing that breaks, once.
package enum MatrixText {
  private static let marks: [String: String] = [
    "works": "ok", "provider": "P", "client": "C", "configuration": "S", "this program": "?",
  ]

  package static func text(_ matrix: Matrix) -> String {
    let width = matrix.providers.map(\.name.count).max() ?? 0
    var lines = matrix.clients.enumerated().map { "\(number($0)) \($1.title)\($1.version.map { " \($0)" } ?? "")" }
    lines.append("")
    lines.append("".fitted(to: width) + matrix.clients.indices.map { " \(number($0))" }.joined())
    for provider in matrix.providers {
      let cells = matrix.clients.map { client in
        let mark = matrix.cell(provider, client).flatMap { marks[$0.word] } ?? ""
        return String(repeating: " ", count: 3 - mark.count) + mark
      }
      lines.append(provider.name.fitted(to: width) + cells.joined())
    }
    lines += ["", "ok works; wrong is P the provider, C the client; S a setting has to follow", ""]
    for provider in matrix.providers { lines += obstacles(matrix, provider) }
    lines.append("\(matrix.cells.count) sign-ins: \(matrix.counts)")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func number(_ index: Int) -> String { index < 9 ? " \(index + 1)" : "\(index + 1)" }

  /// The obstacles at one provider, each with the clients that meet it.
  private static func obstacles(_ matrix: Matrix, _ provider: PartyProfile) -> [String] {
    var groups: [(obstacle: Obstacle, clients: [String])] = []
    for client in matrix.clients {
      guard let obstacle = matrix.cell(provider, client)?.obstacle else { continue }
      if let index = groups.firstIndex(where: { $0.obstacle.text == obstacle.text }) {
        groups[index].clients.append(client.name)
      } else {
        groups.append((obstacle, [client.name]))
      }
    }
    return groups.flatMap { group in
      let head = "\(provider.name) × \(group.clients.joined(separator: ", ")): \(group.obstacle.text.displayable)"
      return [head] + MatrixPage.reasons(group.obstacle).map { "    \($0)" }
    } + (groups.isEmpty ? [] : [""])
  }
}
