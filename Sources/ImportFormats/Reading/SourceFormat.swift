import Core

/// The format of a file of tasks.
package enum SourceFormat: String, Sendable, CaseIterable {
  /// RFC 4180, with the names of the columns in the first row.
  case csv
  /// Like CSV, separated by tabs.
  case tsv
  /// One array of objects or texts (RFC 8259).
  case json
  /// A JSON value a line.
  case ndjson
  /// A task a line.
  case text
  /// A task a line, by the rules of todo.txt.
  case todotxt
  /// The format that `task export` of Taskwarrior writes.
  case taskwarrior

  package static var names: [String] { allCases.map(\.rawValue) }

  /// The format by the name of a file, without its extension for compression; nil if the name does not tell it.
  package init?(path: String) {
    var name = path.lowercased()
    name = name.lastName
    for ending in [".gz", ".zst", ".bz2", ".xz"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    if ["todo.txt", "done.txt"].contains(name) || name.hasSuffix(".todo.txt") {
      self = .todotxt
    } else if let format = Self.extensions.first(where: { name.hasSuffix($0.0) })?.1 {
      self = format
    } else {
      return nil
    }
  }

  private static let extensions: [(String, SourceFormat)] = [
    (".csv", .csv), (".tsv", .tsv), (".tab", .tsv), (".json", .json), (".ndjson", .ndjson), (".jsonl", .ndjson),
    (".txt", .text), (".text", .text),
  ]
}
