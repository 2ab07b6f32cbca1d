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
    .options(StepUpOptions.keys, required: true)
  ) { tenant, arguments in
    let demand = try StepUpOptions(arguments).demand
    try tenant.setStepUp(demand.acrValues.isEmpty && demand.maxAge == nil ? nil : demand)
  }

  private struct StepUpOptions: LuaOptions {
    var demand = StepUpRequirement(acrValues: [], maxAge: nil, method: nil)

    static let fields: [Field] = [
      .init(
        "acr_values", \.demand.acrValues, .words, "The accepted values of acr, such as \"mfa\"; any value if not given."
      ) { try $1.words($0) ?? [] },
      .init(
        "max_age", \.demand.maxAge, in: 0...0x1p31, "The maximum seconds since the sign-in; any if not given."),
      .init(
        "method", \.demand.method, .string, "The method of the requests that need it, such as POST; all if not given."
      ) { value, _ in value.string?.uppercased() },
    ]
  }
}
