/// What a trace is written as.
package enum TraceFormat: String, CaseIterable, Sendable {
  case html, har, json

  /// By the ending of the path, in any letter case; nil for another one.
  package init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }
}
