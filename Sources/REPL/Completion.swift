import Core

struct Completion: Equatable {
  var insertion = ""
  var choices: [String] = []

  init() {}

  init(of part: String, among names: some Sequence<String>, ending: String = "") {
    let fitting = Set(names.filter { $0.hasPrefix(part) }).sorted()
    guard let first = fitting.first, let last = fitting.last else { return }
    let common = zip(first, last).prefix { $0 == $1 }.count
    insertion = String(first.prefix(common).dropFirst(part.count))
    if fitting.count == 1 {
      insertion += ending
    } else if insertion.isEmpty {
      choices = fitting
    }
  }

  func columns(width: Int) -> String {
    let column = (choices.map(\.displayWidth).max() ?? 0) + 2
    let count = max(1, (width - 1) / column)
    let rows = (choices.count + count - 1) / count
    return (0..<rows).map { row in
      var line = stride(from: row, to: choices.count, by: rows).map { choices[$0].fitted(to: column) }.joined()
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
