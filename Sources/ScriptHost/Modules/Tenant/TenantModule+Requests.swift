import LocalTenant
import Lua
import LuaKit

/// Authorization requests that the tenant requires and breaks.
extension TenantModule {
  static let require = action(
    "tenant.require",
    "Requires these features of every client from now on, and no others. The metadata document says so where the standards "
      + "have a name for it.",
    Parameter(
      "features", .list(of: .choice(TenantRequirement.allCases.map(\.rawValue))),
      "The features: \"par\" (pushed authorization requests), \"jarm\" (signed authorization responses), \"dpop\" (tokens that "
        + "are bound to a key), \"dpop_nonce\" (a nonce in each proof). Also \"mtls\" (tokens that are bound to a certificate; "
        + "needs --tls), \"request_object\" (signed request objects), \"private_key_jwt\" (this client authentication). An empty "
        + "list ends all requirements."
    )
  ) { tenant, arguments in
    try tenant.require(
      Set(
        try (arguments[0].table?.elements ?? []).map { element throws(LuaError) in
          if let feature = element.string.flatMap(TenantRequirement.init) { return feature }
          let known = TenantRequirement.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
          throw arguments.failure("expected features of \(known), got \(element.string ?? element.typeName)")
        }))
  }

  static let requireStepUp = action(
    "tenant.require_step_up",
    "Demands a kind of sign-in of every user at the task API from now on (RFC 9470), and no other. An empty table ends the "
      + "demand.",
    .options(
      [
        .optional("acr_values", .words, "The accepted values of acr, such as \"mfa\"; any value if not given."),
        .optional("max_age", .integer, in: 0...0x1p31, "The maximum seconds since the sign-in; any if not given."),
        .optional("method", .string, "The method of the requests that need it, such as POST; all if not given."),
      ], required: true)
  ) { tenant, arguments in
    let demand = StepUpRequirement(
      acrValues: try arguments.words(arguments["acr_values"], "option 'acr_values'") ?? [],
      maxAge: arguments["max_age"].integer.map { Int($0) }, method: arguments["method"].string?.uppercased())
    try tenant.setStepUp(demand.acrValues.isEmpty && demand.maxAge == nil ? nil : demand)
  }

  nonisolated static func requestFault<Fault: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Fault.Type, _ doc: String
  ) -> Parameter {
    Parameter(name, .choice(Fault.allCases.map(\.rawValue)), optional: true, doc)
  }
}

extension TenantFault {
  mutating func readRequestFaults(_ arguments: Arguments) {
    jarm = arguments["jarm"].string.flatMap(SignedAnswerFault.init)
    iss = arguments["iss"].string.flatMap(IssuerFault.init)
    mtls = arguments["mtls"].string.flatMap(CertificateFault.init)
    par = arguments["par"].string.flatMap(PushedRequestFault.init)
    requestObject = arguments["request_object"].string.flatMap(RequestObjectFault.init)
    details = arguments["authorization_details"].string.flatMap(RichDetailsFault.init)
  }
}
