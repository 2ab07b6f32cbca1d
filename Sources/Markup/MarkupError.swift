import Core

/// Why a document could not be read.
package struct MarkupError: Failure, Equatable {
  package enum Kind: String, Sendable {
    /// Text that is not well-formed XML, or that asks for what is not done here.
    case malformed = "malformed_markup"
    /// libxml2 is not there.
    case libraryMissing = "markup_library_missing"
  }

  package var kind: Kind
  /// Of a malformed document libxml2's sentence, without its end.
  package var message: String
  package var hint: String?
  /// Counted from 1; nil where it is not the document's fault.
  package var line: Int?

  package var code: String { kind.rawValue }

  init(_ kind: Kind, line: Int? = nil, _ message: String, hint: String? = nil) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.line = line
  }
}
