/// The kind of sign-in that the task API demands (RFC 9470).
package struct StepUpRequirement: Sendable {
  /// The accepted values of `acr`; empty for any.
  package var acrValues: [String]
  /// The maximum seconds since the sign-in; nil for any.
  package var maxAge: Int?
  /// The method of the requests that need it; nil for all.
  package var method: String?

  package init(acrValues: [String] = [], maxAge: Int? = nil, method: String? = nil) {
    self.acrValues = acrValues
    self.maxAge = maxAge
    self.method = method
  }

  /// The refusal of a request with a token of this sign-in; nil if the sign-in is sufficient.
  /// - Parameters:
  ///   - acr: the claim of the token.
  ///   - age: the seconds since the sign-in.
  func refusal(acr: String?, age: Int, of request: String) -> TaskRefusal? {
    if let method, method != request { return nil }
    let isKind = acrValues.isEmpty || acr.map(acrValues.contains) ?? false
    let isRecent = maxAge.map { age <= $0 } ?? true
    guard !isKind || !isRecent else { return nil }
    var parameters = ""
    if !acrValues.isEmpty { parameters += ", acr_values=\"\(acrValues.joined(separator: " "))\"" }
    if let maxAge { parameters += ", max_age=\"\(maxAge)\"" }
    return TaskRefusal(
      401, "insufficient_user_authentication",
      isKind ? "the sign-in is \(age) seconds old" : "the sign-in has the acr \(acr ?? "none")", parameters: parameters)
  }
}

extension LocalTenant {
  /// Demands a kind of sign-in at the task API from now on; nil ends the demand.
  package func setStepUp(_ requirement: StepUpRequirement?) throws(TenantError) {
    try withEngine { $0.behavior.stepUp = requirement }
  }
}
