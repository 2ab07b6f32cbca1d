/// A file that is open to be imported: how it is read, and what is doubtful about that.
package struct FileReading {
  package let reader: PreviewedReader
  /// The doubt about what kind of file it is. With it, nothing else needs to be judged.
  let kindDoubt: ReadingDoubt?

  /// The doubts, if a function takes the fields from the rows.
  package var doubts: [ReadingDoubt] {
    kindDoubt.map { [$0] } ?? Recognition(reader, SourceShape(reader, beginning: reader.beginning)).doubts(nil)
  }
}

/// A doubt about a file that was found in its beginning, before anything is sent.
package struct ReadingDoubt: Sendable, Equatable {
  /// The fact, which follows the name of the file: `its only column is called "Text^Due"`.
  package var finding: String
  /// The options that decide, a sentence each.
  package var remedies: [String]

  init(_ finding: String, _ remedies: String...) {
    self.finding = finding
    self.remedies = remedies
  }
}

extension ImportError {
  /// The file is perhaps not what it is about to be read as.
  package static func doubtful(_ name: String, _ doubts: [ReadingDoubt]) -> ImportError {
    var remedies: [String] = []
    for remedy in doubts.flatMap(\.remedies) where !remedies.contains(remedy) { remedies.append(remedy) }
    remedies.append("as_is = true (--as-is) reads the file as it is")
    return ImportError(
      kind: .doubtful, message: "\(name): \(doubts.map(\.finding).joined(separator: "; "))",
      hint: "nothing was sent: \(remedies.joined(separator: "; "))")
  }
}
