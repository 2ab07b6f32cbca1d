package import Accounts
import Core
package import HTTPClient
import HostLoop
import JSON
import OAuth
package import ProtectedResources
package import Settings

/// Sign-ins for protected resources, such as MCP servers, that need nothing but the address of the resource.
extension Session {
  /// The settings of this run; nil if there are none, and nobody named a file.
  package func settingsIfAny() throws -> Settings? { try context.settingsIfAny() }

  /// Finds out how to sign in for a resource.
  /// - Parameters:
  ///   - challenge: the challenge of the resource, if it was asked already.
  ///   - scopes: the scopes that the tokens need besides those of the challenge.
  ///   - allowsPrivate: true if documents may come from private addresses.
  package func resourceSignIn(
    _ url: String, after challenge: AuthenticationChallenge? = nil, with scopes: [String] = [], allowsPrivate: Bool
  ) async throws -> ResourceSignIn {
    let discovery = try ResourceDiscovery(url, http: http, base: settingsIfAny(), allowsPrivate: allowsPrivate)
    return try await discovery.signIn(after: challenge, with: scopes) { issuer in
      try await self.accounts.client(registeredWith: issuer)
    }
  }
}

extension RunAccounts {
  /// The application of an account that signed in at the issuer. Applications of other issuers are never returned.
  func client(registeredWith issuer: String) async throws -> KnownClient? {
    for account in try await manager().store.all() {
      let provider = account.provider
      guard provider["issuer"]?.string == issuer, provider["metadataURL"]?.string != nil else { continue }
      let secret = await keptSecret(of: account)
      guard secret != nil || provider["clientAuthentication"]?.string == "none" else { continue }
      return KnownClient(provider: provider, secret: secret)
    }
    return nil
  }

  /// The account that was last signed in for a resource, among those whose tokens this run may use; nil without one.
  package func account(forResource resource: ResourceAddress) async throws -> Account? {
    let manager = try await manager()
    var found: [Account] = []
    // The names of the resources are sealed with the tokens. A sign-in for a resource keeps the place of the metadata.
    for account in try await manager.store.all()
    where account.provider["metadataURL"]?.string != nil && obstacleToTokens(of: account) == nil {
      let binding = try await manager.tokens(of: account).binding
      if binding.resources.contains(where: resource.isNamed) { found.append(account) }
    }
    let current = try await manager.store.current()
    return found.first { $0 === current } ?? found.last
  }
}
