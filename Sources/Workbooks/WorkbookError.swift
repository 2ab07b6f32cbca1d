package import Core

/// A workbook that cannot be read. The message names no file: the caller knows it.
package typealias WorkbookError = DomainError<WorkbookProblem>

/// The kinds of `WorkbookError`.
package enum WorkbookProblem: String, FailureKind {
  /// The archive is none of a spreadsheet, or a part of it is missing or wrong.
  case damaged = "damaged_workbook"
  case encrypted = "encrypted_workbook"
  case missingSheet = "missing_sheet"
  /// No sheet has rows.
  case empty = "empty_workbook"
  /// There are more rows, columns or texts than a spreadsheet can have.
  case tooLarge = "workbook_too_large"
  case libraryMissing = "workbook_library_missing"
}
