import Core
package import HostLoop
package import Lua
import Pages

/// Writes a profile as folded stacks, which other tools read, and as a page with flame graphs.
@HostActor
package struct ProfileReport {
  private let parts: [(name: String, root: Profiler.Node)]
  private let title: String

  /// - Parameter title: the name of the script.
  package init(_ profiler: Profiler, title: String) {
    parts = [("computing", profiler.computing), ("waiting", profiler.waiting)]
    self.title = title
  }

  /// A line for each way: `computing;main chunk (a.lua);parse (a.lua:12) 1500`, in microseconds.
  package var folded: String {
    parts.flatMap { Self.lines($0.root, $0.name) }.joined()
  }

  private static func lines(_ node: Profiler.Node, _ path: String) -> [String] {
    let own = microseconds(node.own)
    return (own > 0 ? ["\(path) \(own)\n"] : [])
      + node.calls.sorted { $0.key < $1.key }.flatMap { lines($0.value, "\(path);\(name($0.key))") }
  }

  /// The name of a function in the format. A script chooses the names of its chunks, which may have separators.
  private static func name(_ text: String) -> String { text.displayable.replacing(";", with: ":") }

  private static func microseconds(_ seconds: Double) -> Int { Int((seconds * 1e6).rounded()) }

  /// A page with a flame graph and a table for each of computing and waiting.
  package var page: String {
    let body = HTML.list(HTML(.header, HTML(.h1, "Profile"), HTML(.p, class: "quiet", title)), parts.map(Self.section))
    return HTMLPage(title: "Profile of \(title)", body: body, style: FlameGraph.style).text
  }

  private static let mostRows = 30

  private static func section(_ name: String, _ root: Profiler.Node) -> HTML {
    let total = root.total
    guard total > 0 else {
      return HTML(.section, class: "card", HTML(.h2, heading(name)), HTML(.p, class: "quiet", "Nothing was measured."))
    }
    let rows = owners(root).sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(mostRows).map {
      function, seconds in
      HTML(
        .tr, HTML(.td, HTML(.code, function)), HTML(.td, class: "number", duration(seconds)),
        HTML(.td, class: "number", "\(Amount.rounded(100 * seconds / total, 1)) %"))
    }
    let head = HTML.list(
      HTML(.th, "Function or call"), HTML(.th, class: "number", "Time"), HTML(.th, class: "number", "Share"))
    return HTML(
      .section, class: "card", HTML(.h2, "\(heading(name)): \(duration(total))"), FlameGraph(root: root).html,
      HTML.table([head], rows))
  }

  private static func heading(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  static func duration(_ seconds: Double) -> String { Amount.duration(microseconds(seconds)) }

  /// The time in each function itself.
  private static func owners(_ node: Profiler.Node) -> [String: Double] {
    node.calls.reduce(into: [:]) { owners, call in
      if call.value.own > 0 { owners[call.key, default: 0] += call.value.own }
      owners.merge(Self.owners(call.value), uniquingKeysWith: +)
    }
  }
}
