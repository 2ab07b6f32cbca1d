extension Step {
  /// What the page's script needs to know of a row: its events, and whether it opens.
  var dataAttributes: String {
    let ids = events.map(String.init).joined(separator: " ")
    guard isFolded else { return "data-e=\"\(ids)\"" }
    return "data-e=\"\(ids)\" data-s=\"\(answer.flatMap(Int.init) ?? 0)\" aria-expanded=\"false\""
  }
}
