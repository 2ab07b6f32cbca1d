import Core

/// The reason why the local tenant could not start or could not do what its owner asked.
package struct TenantError: Failure {
  package var code: String
  package var message: String
  package var hint: String?

  package init(code: String, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// Makes an error with the same message in this module's domain from an error of another module.
  init(_ cause: some Failure) {
    self.init(code: cause.code, message: cause.message, hint: cause.hint)
  }
}
