import Core

/// A source that cannot be imported, or an import that could not go on.
package struct ImportError: Failure {
  package enum Kind: String, Sendable {
    case fileNotFound = "file_not_found"
    case isDirectory = "is_directory"
    case unreadable
    /// The name of a file does not tell its format.
    case unknownFormat = "unknown_format"
    /// A format cannot hold a task.
    case notRepresentable = "not_representable"
    /// A pipe has nothing to read yet. `RecordCursor` waits then; no other code sees this error.
    case wouldBlock = "would_block"
    case emptyFile = "empty_file"
    /// The source grew or shrank while it was read, or is not the source that the journal knows.
    case sourceChanged = "source_changed"
    /// Compressed data end in the middle.
    case truncatedFile = "truncated_file"
    /// Compressed data were changed, or cannot be read here, or the file's name is wrong.
    case damagedFile = "damaged_file"
    /// JSON is cut off or has no tasks; for one line or element, a row that failed.
    case invalidJSON = "invalid_json"
    /// A value is unclear, such as a value for "completed".
    case invalidValue = "invalid_value"
    case invalidMap = "invalid_map"
    case invalidUTF8 = "invalid_utf8"
    /// An archive, a picture or another file that is no text.
    case notText = "not_text"
    case invalidSeparator = "invalid_separator"
    /// A format has no cells that could be guarded for a spreadsheet.
    case noCells = "no_cells"
    case unclosedQuote = "unclosed_quote"
    /// A quote stands where none may be: text behind a closing quote, or a single quote in a field without quotes.
    case misplacedQuote = "misplaced_quote"
    /// A row has more or fewer fields than the header.
    case raggedRow = "ragged_row"
    /// The values of a row seem to stand one column beside their own.
    case shiftedRow = "shifted_row"
    case rowTooLong = "row_too_long"
    /// A row has bytes that its encoding lacks, or a cell without a value.
    case unreadableRow = "unreadable_row"
    case missingColumn = "missing_column"
    /// The service does not have the list of a row, or has several with its name.
    case unknownList = "unknown_list"
    /// No task has the field to compare.
    case missingField = "missing_field"
    /// Several columns may hold the text.
    case ambiguousColumn = "ambiguous_column"
    case duplicateColumn = "duplicate_column"
    /// The beginning of a file is not like what the file is about to be read as.
    case doubtful = "doubtful_file"
    /// The first rows were imported before, from another source.
    case importedBefore = "imported_before"
    /// Another process imports the same source.
    case journalHeld = "journal_held"
    /// A newer version of this program wrote the journal.
    case journalTooNew = "journal_too_new"
    /// The file is no journal of an import.
    case journalForeign = "journal_foreign"
    case journalDamaged = "journal_damaged"
    /// The journal belongs to another account or API.
    case journalMismatch = "journal_mismatch"
    case journalFull = "journal_full"
    /// The import has a journal of this machine, and not in the database.
    case journalElsewhere = "journal_elsewhere"
    /// The journal or its folder cannot be made, read or written.
    case journalUnusable = "journal_unusable"
    /// The name belongs to no journal, or to several.
    case journalUnknown = "journal_unknown"
    /// Other machines have taken over the blocks of an import that this machine held.
    case fenced
    /// Two machines with one name share a database.
    case twoMachines = "two_machines"
    /// The import ended early: the server cannot be reached, or does not take the token.
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
}

extension ImportError {
  /// The journal in that file or database cannot be used.
  package static func journalUnusable(_ message: String, hint: String, path: String) -> ImportError {
    ImportError(kind: .journalUnusable, message: message, hint: hint, details: ["path": path])
  }

  /// The file is perhaps not what it is about to be read as.
  package static func doubtful(_ name: String, _ doubts: [ReadingDoubt]) -> ImportError {
    var remedies: [String] = []
    for remedy in doubts.flatMap(\.remedies) where !remedies.contains(remedy) { remedies.append(remedy) }
    remedies.append("--as-is (as_is = true in a script) reads the file as it is")
    return ImportError(
      kind: .doubtful, message: "\(name): \(doubts.map(\.finding).joined(separator: "; "))",
      hint: "nothing was sent: \(remedies.joined(separator: "; "))")
  }

  static func noDedupeField(_ field: String, among fields: [String], inFirst rows: Int) -> ImportError {
    ImportError(
      kind: .missingField,
      message: "dedupe: none of the first \(counted(rows, "row")) has the field '\(field)', so that every row would be "
        + "added again; the fields are \(fields.joined(separator: ", "))", hint: "nothing was sent")
  }
}
