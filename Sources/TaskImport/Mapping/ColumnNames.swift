/// The usual names of columns and members in task lists.
enum ColumnNames {
  private static let texts: Set<String> = [
    "text", "title", "task", "name", "description", "summary", "content", "todo", "subject",
  ]
  private static let completions: Set<String> = [
    "completed", "done", "status", "complete", "finished", "is completed", "is done", "is complete",
  ]

  /// True if the task's text is usually called so.
  static func isText(_ name: String) -> Bool { texts.contains(plain(name)) }

  /// The column with the text: the one called `text`, else the only one with a usual name.
  static func text(in names: [String]) -> [String] { best(names, texts, exact: "text") }

  /// The column that says whether the task is completed: the one called `completed`, else the only one with a usual name.
  static func completion(in names: [String]) -> [String] { best(names, completions, exact: "completed") }

  private static func best(_ names: [String], _ usual: Set<String>, exact: String) -> [String] {
    let candidates = names.filter { usual.contains(plain($0)) }
    let named = candidates.filter { plain($0) == exact }
    return named.count == 1 ? named : candidates
  }

  /// In lower case, with one blank for what else parts words.
  private static func plain(_ name: String) -> String {
    var words: [String] = []
    var word = ""
    var wasLower = false
    for character in name {
      let parts = character == "_" || character == "-" || character.isWhitespace
      // The capital of isDone.
      if parts || (character.isUppercase && wasLower) {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if !parts { word += character.lowercased() }
      wasLower = character.isLowercase
    }
    if !word.isEmpty { words.append(word) }
    return words.joined(separator: " ")
  }
}
