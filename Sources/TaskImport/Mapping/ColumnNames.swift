enum ColumnNames {
  private static let texts: Set<String> = [
    "text", "title", "task", "name", "description", "summary", "content", "todo", "subject",
  ]
  private static let completions: Set<String> = [
    "completed", "done", "status", "complete", "finished", "is completed", "is done", "is complete",
  ]

  /// Shares of a task that are done: 100 or, as in Outlook, 1 means all of it.
  private static let percentages: Set<String> = [
    "% complete", "percent complete", "percent completed", "percent done", "percentage complete", "percentcomplete",
  ]

  static func isText(_ name: String) -> Bool { texts.contains(plain(name)) }

  /// The candidates for the column with the text: the one called `text`, else all with a usual name.
  static func text(in names: [String]) -> [String] { best(names, texts, exact: "text") }

  static func isPercentage(_ name: String) -> Bool { percentages.contains(plain(name)) }

  /// The candidates for the column of completion: the one called `completed`, else all with a usual name, else those with
  /// percentages.
  static func completion(in names: [String]) -> [String] {
    let candidates = best(names, completions, exact: "completed")
    return candidates.isEmpty ? names.filter(isPercentage) : candidates
  }

  private static func best(_ names: [String], _ usual: Set<String>, exact: String) -> [String] {
    let candidates = names.filter { usual.contains(plain($0)) }
    let named = candidates.filter { plain($0) == exact }
    return named.count == 1 ? named : candidates
  }

  /// The name in lower case, its words separated by one blank.
  static func plain(_ name: String) -> String {
    // A capital letter begins a word, as in isDone.
    let spaced = name.replacing(/(\p{Ll})(\p{Lu})/) { "\($0.1) \($0.2)" }
    return spaced.lowercased().split { $0 == "_" || $0 == "-" || $0.isWhitespace }.joined(separator: " ")
  }
}
