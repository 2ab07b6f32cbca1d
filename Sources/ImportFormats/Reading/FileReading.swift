/// A file that is open to be imported: how it is read, and what is doubtful about that.
package struct FileReading {
  package let reader: PreviewedReader
  /// The doubt about what kind of file it is. With it, nothing else needs to be judged.
  let kindDoubt: ReadingDoubt?

  /// The doubts, if a function takes the fields from the rows.
  package var doubts: [ReadingDoubt] {
    kindDoubt.map { [$0] } ?? Recognition(reader, SourceShape(reader, beginning: reader.beginning)).doubts(nil)
  }

  /// True if the file is a workbook or an archive.
  package var hasParts: Bool { reader.buffer?.hasParts ?? false }

  /// The facts about the file, if a function takes the fields from the rows.
  package var facts: SourceReading { SourceReading(reader, doubts: doubts) { _ in nil } }
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
