import Lua

extension ScriptOptions {
  /// The forms of the command: `b2c-run token [options] [NAME]`.
  var usageLines: [String] {
    let forms = usage.isEmpty ? [(["[options]"] + positions.map(\.spelling)).joined(separator: " ")] : usage
    return forms.map { $0.isEmpty ? "b2c-run \(command)" : "b2c-run \(command) \($0)" }
  }

  /// What `--help` prints.
  var help: String {
    let rows = options.map { ($0.spelling, described($0)) } + [("--help", "print this help")]
    let all = positions.map { ($0.spelling, $0.doc) } + rows
    let width = (all.map(\.0.count).max() ?? 0) + 2
    func list(_ rows: [(String, String)]) -> String {
      rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))\($1)\n" }.joined()
    }
    var parts = [summary.isEmpty ? "" : "\(summary)\n", usageLines.map { "  \($0)\n" }.joined()]
    parts.append(list(positions.map { ($0.spelling, $0.doc) }))
    parts.append("options\n" + list(rows))
    if let notes { parts.append(notes + "\n") }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private func described(_ option: Option) -> String {
    var text = option.doc
    if !option.choices.isEmpty { text += ": \(option.choices.joined(separator: ", "))" }
    if let fallback = option.fallback.string ?? option.fallback.integer.map(String.init) {
      text += " (\(fallback) if not given)"
    }
    return text
  }
}
