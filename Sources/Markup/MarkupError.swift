import Core

/// The error of a document that could not be read.
package struct MarkupError: Failure, Equatable {
  package enum Kind: String, Sendable {
    /// The text is not well-formed XML, or it needs an unsupported feature.
    case malformed = "malformed_markup"
    /// libxml2 is missing.
    case libraryMissing = "markup_library_missing"
  }

  package var kind: Kind
  /// One sentence; for a malformed document, the message of libxml2.
  package var message: String
  package var hint: String?
  /// Counted from 1; nil if the document is not the cause.
  package var line: Int?

  package var code: String { kind.rawValue }
}
