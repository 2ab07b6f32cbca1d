package import Accounts
package import Core
package import HTTPClient
package import HostLoop
package import OAuth
import Settings
package import TaskAPI

extension Prover: RequestProver {}

/// The access tokens of an account, for requests of a run.
@HostActor
package final class AccountTokens: TokenProvider {
  /// Does not keep the tokens in memory: those of an account that was signed out go.
  struct Reference {
    weak var tokens: AccountTokens?
  }

  let account: Account
  private let manager: AccountManager
  private let accounts: RunAccounts
  /// The access token that scripts of this run were last allowed to know.
  private var shared: Secret?
  private var keptProver: Prover?
  /// The certificate of the settings, which hold for all tokens of the account.
  package private(set) var certificate: ClientCertificate?
  private var isCertificateRead = false

  init(_ account: Account, _ manager: AccountManager, _ accounts: RunAccounts) {
    self.account = account
    self.manager = manager
    self.accounts = accounts
  }

  /// - Throws: `other_provider` where scripts of this run do not get it.
  package func token(afterRejected rejected: Secret? = nil) async throws -> Secret {
    try accounts.demandTokens(of: account)
    let token = try await manager.token(for: account, afterRejected: rejected)
    if !isCertificateRead {
      certificate = try await accounts.certificate(of: account)
      isCertificateRead = true
    }
    // An import asks for each row, and to share a token is work of some microseconds.
    if token != shared { shared = token.shared() }
    return token
  }

  /// The maker of proofs with the account's key.
  package var prover: (any RequestProver)? {
    guard let key = account.binding.proofKey else { return nil }
    if let keptProver, keptProver.key.thumbprint == key.thumbprint { return keptProver }
    let made = Prover(key, accounts.providers.nonces)
    keptProver = made
    return made
  }
}

extension RunAccounts {
  /// The tokens of an account of the open store.
  package func tokens(of account: Account) throws -> AccountTokens {
    if let known = tokens[account.id]?.tokens, known.account === account { return known }
    // The store that the account comes from is open.
    guard let manager = opened else { throw AccountError(.storeUnusable, "no account store is open") }
    let made = AccountTokens(account, manager, self)
    tokens[account.id] = AccountTokens.Reference(tokens: made)
    return made
  }
}

extension Session {
  /// The task API of the settings, with the tokens of an account.
  package func taskClient(
    of account: Account, timeout: Double = TaskAPIClient.usualTimeout,
    onProgress: (@HostActor @Sendable (HTTPProgress) -> Void)? = nil
  ) throws -> TaskAPIClient {
    let settings = try settings()
    return try TaskAPIClient(
      http: http, tokens: accounts.tokens(of: account), baseURL: settings.taskAPI, path: settings.tasksPath,
      contentType: settings.contentType,
      customHeaders: HTTPHeaders(settings.customHeaders.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      tokenType: accounts.tokenTypeSetting(of: account) ?? settings.tokenType, timeout: timeout,
      onProgress: onProgress)
  }
}
