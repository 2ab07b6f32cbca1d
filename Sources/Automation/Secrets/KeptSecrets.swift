package import Accounts
package import Core
package import HostLoop

/// The secrets that a person keeps for scripts: those of the service, and those of the account store.
@HostActor
package final class KeptSecrets {
  private let configuration: Session.Configuration
  private let console: Console
  private var opened: AccountStore?
  private let opening = Turnstile()

  package init(_ configuration: Session.Configuration, _ console: Console) {
    self.configuration = configuration
    self.console = console
  }

  /// The store with the secrets. A local tenant keeps its accounts elsewhere; the secrets are the person's own.
  package func store() async throws -> AccountStore {
    if let opened { return opened }
    return try await opening.pass {
      // Another coroutine may have been faster.
      if let opened = self.opened { return opened }
      let console = self.console
      let store = try await AccountStore(try self.configuration.storeLocation(), tell: { console.log(.warn, $0) })
      self.opened = store
      return store
    }
  }

  /// True for letters, digits, `.`, `-` and `_`, and not more than 128 of them.
  package nonisolated static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 128 && !name.hasPrefix(".") && !name.hasPrefix("-")
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5a).contains($0 & 0xdf) || [0x2d, 0x2e, 0x5f].contains($0)
      }
  }

  /// Throws `no_secret` for a name that is none.
  package nonisolated static func check(_ name: String) throws(AccountError) {
    guard isName(name) else {
      throw AccountError(
        .noSecret, "'\(name)' is not the name of a secret", hint: "a name has letters, digits, dots, - and _")
    }
  }

  /// The secret of that name. Throws `no_secret` if there is none.
  package func secret(_ name: String) async throws -> Secret {
    try Self.check(name)
    if let secret = try ServiceCredentials.secret(name) { return secret }
    let store = try await store()
    if let secret = try await store.secret(name) { return secret }
    let names = try await store.secrets().map(\.name)
    throw AccountError(
      .noSecret, "there is no secret '\(name)'",
      hint: didYouMean(name, among: names) ?? "set it first: \(configuration.commandLine("secrets set \(name)"))")
  }
}
