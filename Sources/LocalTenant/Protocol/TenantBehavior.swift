import JSON

/// How the tenant treats its clients, as far as its owner may change that while it runs.
final class TenantBehavior {
  /// Of access and ID tokens, in seconds.
  var accessTokenLifetime = 3600
  /// In seconds.
  var refreshTokenLifetime = 14 * 86_400
  /// Whether each refresh gives a new refresh token, and a used one that comes again withdraws the grant.
  var rotatesRefreshTokens = true
  /// Whether the numbers of token responses are sent as strings, as some providers do.
  var sendsNumbersAsStrings = false
  /// Whether an authorization request for a code must have a `code_challenge`.
  var requiresPKCE = false
  /// The IDs of the applications that get nothing but codes from the authorization endpoint.
  var applicationsWithoutImplicit: Set<String> = []
  /// Which server of that time the task API is like.
  var tasksDialect = TaskDialect.dotnet
  /// Whether `Idempotency-Key` means something to the task API.
  var honorsIdempotencyKeys = true
  /// How many requests a second the task API takes; nil for any number.
  var taskRate: Int?

  /// A member of a token response.
  func number(_ value: Int) -> JSON {
    sendsNumbersAsStrings ? .string(String(value)) : .integer(Int64(value))
  }
}
