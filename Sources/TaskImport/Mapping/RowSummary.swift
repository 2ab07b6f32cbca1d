/// What is made of a source's columns, in words: `text from column "Title", completed from "Done"; left out: "Due"`.
struct RowSummary {
  private static let mostLeftOut = 12

  let text: String

  init(
    _ shape: SourceShape, text: String, completion: String?, fields: [(field: String, column: String)], notes: [String]
  ) {
    var parts = ["text from \(shape.noun) \"\(text)\""]
    if let completion { parts.append("completed from \"\(completion)\"") }
    parts += fields.map { "\($0.field) from \"\($0.column)\"" }
    var sentences = [parts.joined(separator: ", ")]
    let used = Set([text, completion].compactMap(\.self) + fields.map(\.column))
    let others = (shape.names ?? []).filter { !used.contains($0) && !$0.isEmpty }
    if !others.isEmpty {
      let names = others.prefix(Self.mostLeftOut).map { "\"\($0)\"" }.joined(separator: ", ")
      let more = others.count - Self.mostLeftOut
      sentences.append("left out: \(names)\(more > 0 ? " and \(more) more" : "")")
    }
    self.text = (sentences + notes).joined(separator: "; ")
  }
}
