import Core

/// Why the local tenant could not be started, or not do what its owner asked for.
package struct TenantError: Failure {
  package var code: String
  package var message: String
  package var hint: String?

  package init(code: String, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The same words under this domain's name, for what the rooms below report.
  init(_ cause: some Failure) {
    self.init(code: cause.code, message: cause.message, hint: cause.hint)
  }
}
