import Core

/// A source that cannot be imported, or an import that could not go on.
package struct ImportError: Failure {
  package enum Kind: String, Sendable {
    case fileNotFound = "file_not_found"
    case isDirectory = "is_directory"
    case unreadable
    /// A file whose name does not say what it is or shall be.
    case unknownFormat = "unknown_format"
    /// A task that a format has no way to write.
    case notRepresentable = "not_representable"
    /// A pipe has nothing to read yet. `RecordCursor` waits then; nobody else sees it.
    case wouldBlock = "would_block"
    case emptyFile = "empty_file"
    /// It grew or shrank while it was read, or is not the one that the journal knows.
    case sourceChanged = "source_changed"
    /// Compressed data that ends in the middle.
    case truncatedFile = "truncated_file"
    /// Compressed data that was changed, or is not what its name says, or cannot be read here.
    case damagedFile = "damaged_file"
    /// JSON that is cut off, or has no tasks in it; of a line or an element of its own, a row that failed.
    case invalidJSON = "invalid_json"
    /// A value that does not say what it should, such as whether a task is completed.
    case invalidValue = "invalid_value"
    /// A `map` that cannot be followed.
    case invalidMap = "invalid_map"
    case invalidUTF8 = "invalid_utf8"
    /// An archive, a picture or another file that is no text.
    case notText = "not_text"
    /// The separator given is not one ASCII character.
    case invalidSeparator = "invalid_separator"
    case unclosedQuote = "unclosed_quote"
    /// Text stands behind the quote that closes a field.
    case misplacedQuote = "misplaced_quote"
    /// A row has more or fewer fields than the header.
    case raggedRow = "ragged_row"
    case rowTooLong = "row_too_long"
    case missingColumn = "missing_column"
    /// Several columns may hold the text.
    case ambiguousColumn = "ambiguous_column"
    /// Two columns have the same name.
    case duplicateColumn = "duplicate_column"
    /// Another process imports the same source.
    case journalHeld = "journal_held"
    /// A newer version of this program wrote the journal.
    case journalTooNew = "journal_too_new"
    /// The file is no journal of an import.
    case journalForeign = "journal_foreign"
    case journalDamaged = "journal_damaged"
    /// The journal given is that of another account or API.
    case journalMismatch = "journal_mismatch"
    /// The disk with the journal is full.
    case journalFull = "journal_full"
    /// The journal or its folder cannot be made, read or written.
    case journalUnusable = "journal_unusable"
    /// No journal, or more than one, goes by that name.
    case journalUnknown = "journal_unknown"
    /// The import ended before the source did: the server cannot be reached, or does not take the token.
    case stopped
  }

  package var kind: Kind
  package var message: String
  package var hint: String?
  /// The line in the source, counting from 1; nil if the error is about the file as a whole.
  package var line: Int?
  package var status: Int?
  package var isRetryable: Bool
  package var details: [String: String]
  /// The report until then, if the import had begun.
  package var report: ImportReport?

  package init(
    kind: Kind, message: String, hint: String? = nil, line: Int? = nil, status: Int? = nil, isRetryable: Bool = false,
    details: [String: String] = [:]
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.line = line
    self.status = status
    self.isRetryable = isRetryable
    self.details = details
    if let line { self.details["line"] = String(line) }
  }

  package var code: String { kind.rawValue }

  /// The same, saying what was done until then.
  func with(_ report: ImportReport) -> ImportError {
    var error = self
    error.report = report
    let done = [
      ("added", report.addedNow), ("failed", report.failed), ("skipped", report.skipped),
      ("unsettled", report.unsettled), ("not sent", report.unsent),
    ]
    let figures = done.filter { $0.0 == "added" || $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    error.message += "; until then: \(figures.joined(separator: ", "))"
    for (name, number) in done { error.details[name == "not sent" ? "unsent" : name] = String(number) }
    return error
  }
}
