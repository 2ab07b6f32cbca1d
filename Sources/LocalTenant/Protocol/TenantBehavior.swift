import JSON

/// The settings of the tenant's behavior that can change while the tenant runs.
final class TenantBehavior {
  /// The lifetime of access tokens and ID tokens, in seconds.
  var accessTokenLifetime = 3600
  /// The lifetime in seconds.
  var refreshTokenLifetime = 14 * 86_400
  /// True if each refresh returns a new refresh token. Using an old refresh token again then revokes the grant.
  var rotatesRefreshTokens = true
  /// True if the numbers of token responses are strings, as some providers send them.
  var sendsNumbersAsStrings = false
  var requiresPKCE = false
  /// The features that every client must use.
  var requirements: Set<TenantRequirement> {
    get { givenRequirements.union(profile?.requirements ?? []) }
    set { givenRequirements = newValue }
  }
  private var givenRequirements: Set<TenantRequirement> = []
  /// The profile that the tenant enforces.
  var profile: TenantProfile?
  /// The lifetime of codes, in seconds.
  var codeLifetime: Int { profile?.codeLifetime ?? 600 }
  /// The kind of sign-in that the task API demands.
  var stepUp: StepUpRequirement?
  /// The audience that client assertions must have.
  var assertionAudience = AssertionAudience.any
  /// The IDs of applications that get only codes from the authorization endpoint.
  var applicationsWithoutImplicit: Set<String> = []
  var tasksDialect = TaskDialect.dotnet
  var honorsIdempotencyKeys = true
  /// The maximum number of task API requests per second; nil for no limit.
  var taskRate: Int?
  /// The kind of directory that the tenant imitates.
  var kind: TenantKind
  var nativeMethod = NativeMethod.password
  /// The patterns of the attributes that a sign-up by native authentication requires, by name.
  var signUpAttributes = ["displayName": ""]

  /// The only party that may act for the users of new access tokens (`may_act`); nil for no such claim.
  var actor: String?

  init(_ kind: TenantKind) { self.kind = kind }

  func number(_ value: Int) -> JSON { sendsNumbersAsStrings ? .string(String(value)) : .integer(Int64(value)) }
}

/// The servers of the tutorial's task API.
package enum TaskDialect: String, Sendable, CaseIterable {
  /// Tasks have a number, and the list has all tasks.
  case dotnet
  /// Tasks have an `_id` and are addressed by owner. The list has the 20 oldest tasks. Idempotency keys are ignored.
  case node
}
