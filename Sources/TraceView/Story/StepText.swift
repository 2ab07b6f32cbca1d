import PageStyle

/// A step in words.
enum StepText {
  /// Seconds since the trace began: `0.031`.
  static func time(_ microseconds: Int) -> String { Amount.rounded(Double(microseconds) / 1e6, 3) }

  /// What a screen reader says: `0.031 s, Host to Authority: POST token, 400, 12 ms, error AADB2C90225`.
  static func sentence(_ step: Step) -> String {
    let who = step.from == step.to ? step.from.title : "\(step.from.title) to \(step.to.title)"
    var parts = ["\(time(step.at)) s, \(who): \(step.title)"]
    if step.isFolded { parts.append(Amount.count(step.count, "time")) }
    if let answer = step.answer, !answer.isEmpty { parts.append(answer) }
    if let took = step.took { parts.append(Amount.duration(took)) }
    if let failure = step.failure { parts.append("error \(failure.code)") }
    if let line = step.line, step.kind == .call { parts.append("at \(line)") }
    return parts.joined(separator: ", ")
  }
}
