import Core
import HTTPServer
import JOSE
import JSON

/// Identifies the caller of the task API by the access token, which is verified once and then cached.
final class BearerCheck {
  private struct Caller {
    /// `oid` of a user, or the ID of an application that acts for itself.
    let owner: String
    /// `read` and `write`. Nil permits everything: a token for the client itself, or of an application with the role.
    let permissions: [String]?
    /// False for a token of External ID that is for Microsoft Graph, which the userinfo endpoint takes too.
    let isForAPI: Bool
    /// True if authorization details decide what is permitted (RFC 9396).
    let hasDetails: Bool
    /// The family of the token, by which it can be revoked; nil for an application.
    let family: String?
    /// The thumbprint of the key that the token is bound to; nil for a bearer token.
    let proofThumbprint: String?
    /// The thumbprint of the certificate that the token is bound to.
    let certificateThumbprint: String?
    /// The kind of the sign-in.
    let acr: String?
    /// The time of the sign-in in elapsed seconds; nil for an application.
    let signInTime: Int?
    /// See `TenantClock.expiry`.
    let expires: Int
  }

  private let keys: KeyRing
  private let clock: TenantClock
  private let grants: GrantStore
  private let clients: ClientRegistry
  private let proofs: ProofCheck
  private let behavior: TenantBehavior
  /// The fault of the current request.
  var fault: ProofFault?
  private var verified: [String: Caller] = [:]

  init(
    keys: KeyRing, clock: TenantClock, grants: GrantStore, clients: ClientRegistry, proofs: ProofCheck,
    behavior: TenantBehavior
  ) {
    self.keys = keys
    self.clock = clock
    self.grants = grants
    self.clients = clients
    self.proofs = proofs
    self.behavior = behavior
  }

  /// Returns the owner of the caller's tasks if the token is valid now and permits `permission`; nil needs no permission.
  func owner(_ request: ServerRequest, permission: String?) throws -> String {
    guard let header = request.header("Authorization") else {
      throw TaskRefusal(401, nil, "the request has no bearer token")
    }
    let isProven = header.utf8.count > 5 && header.utf8.prefix(5).elementsEqual("DPoP ".utf8)
    guard
      isProven
        || header.utf8.count > 7
          && (header.utf8.prefix(7).elementsEqual("Bearer ".utf8) || header.lowercased().hasPrefix("bearer "))
    else { throw TaskRefusal(401, nil, "the Authorization header is not a bearer token") }
    let token = String(header.dropFirst(isProven ? 5 : 7))
    let caller = try verified[token] ?? verify(token)
    try checkProof(of: caller, token, request, isProven)
    try checkCertificate(of: caller, request)
    guard clock.elapsed < caller.expires else {
      throw TaskRefusal(401, "invalid_token", "the access token has expired")
    }
    if let family = caller.family, grants.isRevoked(family: family) {
      throw TaskRefusal(401, "invalid_token", "the access token has been revoked")
    }
    if let demand = behavior.stepUp, let time = caller.signInTime,
      let refusal = demand.refusal(acr: caller.acr, age: clock.elapsed - time, of: request.method)
    {
      throw refusal
    }
    if permission != nil, !caller.isForAPI {
      throw TaskRefusal(
        401, "invalid_token",
        "the access token is for Microsoft Graph, not for this API: the request named no scope of this API")
    }
    if let permission, let permissions = caller.permissions, !permissions.contains(permission) {
      throw TaskRefusal(
        403, "insufficient_scope",
        caller.hasDetails
          ? "the authorization_details of the access token lack the action \(permission)"
          : "the access token lacks the scope \(Contoso.taskScopePrefix)\(permission)")
    }
    return caller.owner
  }

  /// Checks that a token that is bound to a key comes with a proof (RFC 9449 §7).
  private func checkProof(
    of caller: Caller, _ token: String, _ request: ServerRequest, _ isProven: Bool
  ) throws {
    guard isProven == (caller.proofThumbprint != nil) else {
      throw TaskRefusal(
        401, "invalid_token",
        isProven
          ? "the access token is bound to no key, and needs the type Bearer"
          : "the access token is bound to a key, and needs the type DPoP with a proof")
    }
    guard isProven else {
      let isUnbound = behavior.profile?.bindsTokens == true && caller.certificateThumbprint == nil
      if behavior.requirements.contains(.dpop) || isUnbound {
        throw TaskRefusal(401, "invalid_token", "the access token is bound to no key, and this API requires DPoP")
      }
      return
    }
    do {
      guard let thumbprint = try proofs.thumbprint(request, token: token, fault: fault) else {
        throw ProofError.invalid("the request has no DPoP proof")
      }
      guard thumbprint == caller.proofThumbprint else {
        throw TaskRefusal(401, "invalid_token", "the access token is bound to the key of another DPoP proof")
      }
    } catch let error as ProofError {
      throw TaskRefusal(401, error.code, error.message, headers: error.headers)
    }
  }

  /// Checks that a token that is bound to a certificate comes with it (RFC 8705 §3).
  private func checkCertificate(of caller: Caller, _ request: ServerRequest) throws(TaskRefusal) {
    guard let bound = caller.certificateThumbprint else {
      guard behavior.requirements.contains(.mtls) else { return }
      throw TaskRefusal(
        401, "invalid_token", "the access token is bound to no certificate, and this API requires mutual TLS")
    }
    guard let shown = request.certificate?.thumbprint else {
      throw TaskRefusal(401, "invalid_token", "the access token is bound to a certificate, and the client showed none")
    }
    guard shown == bound else {
      throw TaskRefusal(401, "invalid_token", "the access token is bound to another certificate")
    }
  }

  func forget() { verified = [:] }

  private func verify(_ token: String) throws -> Caller {
    let caller: Caller
    do {
      guard let claims = try keys.verify(token) else {
        throw TaskRefusal(401, "invalid_token", "the access token is signed with a key that is not this tenant's")
      }
      caller = try self.caller(claims)
    } catch let error as JOSEError {
      throw TaskRefusal(401, "invalid_token", "the access token is not valid: \(error.message)")
    }
    if verified.count >= 1000 { verified = [:] }
    verified[token] = caller
    return caller
  }

  private func caller(_ claims: JSON) throws(TaskRefusal) -> Caller {
    let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
    let isForTasks = audiences.contains(where: RequestedResources.isTaskAPI)
    guard let audience = audiences.first, let subject = claims["sub"]?.string,
      claims["exp"]?.lenientInteger != nil, claims["azp"] != nil,
      isForTasks || audience == Contoso.graph || clients.application(audience) != nil
    else { throw TaskRefusal(401, "invalid_token", "the token is not an access token for this API") }
    let owner = claims["oid"]?.string
    var permissions: [String]?
    if owner == nil {
      guard claims["roles"]?.array?.contains(.string(Contoso.taskRole)) == true else {
        throw TaskRefusal(403, "insufficient_scope", "the access token lacks the role \(Contoso.taskRole)")
      }
    } else if isForTasks {
      permissions = claims["scp"]?.string?.split(separator: " ").map(String.init) ?? []
    }
    let details = claims["authorization_details"]
    if let details { permissions = Array(RichDetails.actions(details)) }
    return Caller(
      owner: owner ?? subject, permissions: permissions, isForAPI: audience != Contoso.graph,
      hasDetails: details != nil,
      family: claims[TokenIssuer.familyClaim]?.string, proofThumbprint: claims["cnf"]?["jkt"]?.string,
      certificateThumbprint: claims["cnf"]?["x5t#S256"]?.string, acr: claims["acr"]?.string,
      signInTime: owner == nil
        ? nil : (claims[TokenIssuer.signInClaim] ?? claims["auth_time"])?.lenientInteger.map { Int($0) },
      expires: TenantClock.expiry(claims))
  }
}
