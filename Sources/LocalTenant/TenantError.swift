import Core

/// The reason why the local tenant could not start or could not do what its owner asked.
package struct TenantError: Failure {
  package var code: String
  package var message: String
  package var hint: String?

  init(code: String, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The error of an argument that is not valid: `invalid_user` of a `user`.
  static func invalid(_ name: String, _ message: String, hint: String? = nil) -> TenantError {
    TenantError(code: "invalid_\(name)", message: message, hint: hint)
  }

  /// Makes an error with the same message in this module's domain from an error of another module.
  init(_ cause: some Failure) { self.init(code: cause.code, message: cause.message, hint: cause.hint) }
}
