/// The kind of the tenant, and the user flow of External ID.
extension LocalTenant {
  /// Selects the kind of directory that the tenant imitates from now on. Users, keys and tasks stay.
  package func setKind(_ kind: TenantKind) throws(TenantError) {
    try withEngine { $0.behavior.kind = kind }
  }

  /// Selects the method of sign-ins and sign-ups by native authentication.
  package func setNativeMethod(_ method: NativeMethod) throws(TenantError) {
    try withEngine { $0.behavior.nativeMethod = method }
  }

  /// Sets the attributes that a sign-up by native authentication requires.
  /// - Parameter attributes: a regular expression by the name of the attribute; empty for any text.
  package func setSignUpAttributes(_ attributes: [String: String]) throws(TenantError) {
    for (name, pattern) in attributes.sorted(by: { $0.key < $1.key }) {
      do { _ = try Regex(pattern) } catch {
        throw TenantError(
          code: "invalid_argument", message: "the pattern of \(name) is not a regular expression: \(pattern)"
        )
      }
    }
    try withEngine { $0.behavior.signUpAttributes = attributes }
  }
}
