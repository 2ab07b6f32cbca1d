import FoundationEssentials
import HostLoop
import Testing

@testable import LuaTasks

/// The table of apps and fields in the documentation says what the files of Exports/ give. With UPDATE_REFERENCE in the environment
/// it is written anew.
@HostActor @Suite("The page about other apps")
struct AppPageTests {
  private nonisolated static let columns: [(field: String, title: String)] = [
    ("notes", "notes"), ("completed", "done"), ("completed_at", "done at"), ("due", "due"), ("start", "start"),
    ("priority", "priority"), ("labels", "labels"), ("list", "list"), ("parent", "subtasks"), ("recurrence", "repeats"),
    ("url", "URL"),
  ]

  private nonisolated static let otherTitles = ["taskwarrior": "Taskwarrior", "todotxt": "todo.txt"]

  @Test("has the table that the files give: UPDATE_REFERENCE=1 brings it up to date")
  func table() async throws {
    let file = ReferenceTests.folder.appending(path: "ImportFromApps.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let parts = page.components(between: "<!-- apps -->\n", and: "<!-- /apps -->")
    let (before, written, after) = try #require(parts)
    let made = try await Self.table()
    if ProcessInfo.processInfo.environment["UPDATE_REFERENCE"] != nil {
      try Data("\(before)<!-- apps -->\n\(made)<!-- /apps -->\(after)".utf8).write(to: file)
    } else {
      #expect(written == made, "ImportFromApps.md is stale: UPDATE_REFERENCE=1 swift test --filter AppPageTests")
    }
  }

  @Test("has each format of an app")
  func formats() {
    let known = Set(AppExport.apps).subtracting(AppExportTests.native)
    #expect(known == Set(StockFormat.all.map(\.name)))
  }

  private static func table() async throws -> String {
    let head = ["App", "`--format`"] + columns.map(\.title) + ["told as lost"]
    var lines = [row(head), row(head.map { _ in "---" })]
    let titles = StockFormat.all.map { ($0.name, $0.title) } + otherTitles.sorted { $0.key < $1.key }.map { ($0, $1) }
    for (name, title) in titles {
      var fields: Set<String> = []
      var lost: Set<String> = []
      for export in AppExport.all where export.app == name && export.variant == .plain {
        guard try export.refusal() == nil else { continue }
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/\(export.file)"
        try export.bytes().write(to: URL(filePath: path))
        for task in try await AppExportTests.read(path, in: try TestHost(tenant: nil), expecting: name) {
          fields.formUnion(task.fields.keys)
          lost.formUnion((task.fields["lost"] ?? "").split(separator: ", ").map(String.init))
        }
      }
      let cells = columns.map { fields.contains($0.field) ? "yes" : "" }
      lines.append(row([title, "`\(name)`"] + cells + [lost.sorted().joined(separator: ", ")]))
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }
}

extension String {
  /// The text before, between and behind two marks.
  fileprivate func components(between start: String, and end: String) -> (String, String, String)? {
    guard let first = firstRange(of: start), let second = self[first.upperBound...].firstRange(of: end) else {
      return nil
    }
    return (
      String(self[..<first.lowerBound]), String(self[first.upperBound..<second.lowerBound]),
      String(self[second.upperBound...])
    )
  }
}
