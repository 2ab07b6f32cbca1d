import Core

/// An error where it happened: the code, what it means, what was said, and what to do.
enum ProblemHTML {
  static func text(_ failure: TraceFailure, class name: String) -> String {
    let meaning = failure.meaning.map { " – \(HTMLText.escape($0))" } ?? ""
    let hint = failure.hint.map { "<br><span class=\"quiet\">→ \(HTMLText.escape($0))</span>" } ?? ""
    return """
      <p class="\(name)"><b>\(HTMLText.escape(failure.code))</b>\(meaning)<br>\(HTMLText.escape(failure.message))\(hint)</p>
      """
  }
}
