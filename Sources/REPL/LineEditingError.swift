import Core

/// There is no way to edit lines.
struct LineEditingError: Failure {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  var code: String { "no_line_editing" }
  var message: String { "the session on a terminal needs libedit, which could not be loaded: \(reason)" }
  var hint: String? { "install the package libedit2, or run a script: b2c-run SCRIPT, b2c-run -e CHUNK" }
}
