import Core

/// What a trace is written as.
package enum TraceFormat: String, CaseIterable, Sendable {
  case html, har, json

  /// By the ending of the path, in any letter case; nil for another one.
  package init?(path: String) {
    self.init(rawValue: path.isPagePath ? "html" : path.fileEnding)
  }
}
