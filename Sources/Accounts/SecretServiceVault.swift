package import HostLoop
package import JOSE
import JSON

/// Keys in the desktop's Secret Service, in its default collection.
@HostActor
package final class SecretServiceVault: Vault {
  package nonisolated let kind = VaultKind.secretService
  private let service: SecretService
  /// Tells the keys of one store from those of others.
  private let store: String
  /// For people who look through their keyring.
  private let path: String

  /// - Parameters:
  ///   - store: the store's ID.
  ///   - path: the store's file, for people.
  ///   - limit: how long the service may take for anything, in seconds; nil for what suits each question.
  package init(store: String, path: String, limit: Double? = nil) {
    self.store = store
    self.path = path
    service = SecretService(
      limits: limit.map { SecretService.Limits(probe: $0, call: $0, unlocking: $0) } ?? SecretService.Limits())
  }

  package nonisolated func place(of group: String) -> String { "the Secret Service (\"\(label(group))\")" }

  /// True if a key can be put there now, without asking the user anything.
  func isReady() async -> Bool { do { return try await service.state() == .ready } catch { return false } }

  package func storedKey(for group: String) async throws(AccountError) -> JWK? {
    let text: String?
    do { text = try await service.secret(store: store, group: group) } catch { throw unusable(error) }
    guard let text else { return nil }
    guard let json = try? JSON(parsing: text), let key = sealingKey(json) else {
      throw AccountError(
        .keyUnusable, "\(place(of: group)) does not hold a symmetric key of 256 bits as JSON (RFC 7517)",
        hint: "remove it there and sign in again")
    }
    return key
  }

  /// If several processes found no key, each would put its own there: the caller has to see to it that there is one
  /// at a time.
  package func key(for group: String) async throws(AccountError) -> JWK {
    if let key = try await storedKey(for: group) { return key }
    let key = try makeKey()
    try await put(key, group)
    return key
  }

  package func keep(_ key: JWK, for group: String) async throws(AccountError) {
    if let old = try await storedKey(for: group) {
      guard old.json == key.json else { throw otherKey(group) }
      return
    }
    try await put(key, group)
  }

  package func removeKey(for group: String) async throws(AccountError) {
    do { try await service.remove(store: store, group: group) } catch { throw unusable(error) }
  }

  private func put(_ key: JWK, _ group: String) async throws(AccountError) {
    do { try await service.put(key.json.encoded(), store: store, group: group, label: label(group)) } catch {
      throw unusable(error)
    }
  }

  private nonisolated func label(_ group: String) -> String { "b2c-run: key of the accounts \(group) in \(path)" }

  private func unusable(_ problem: SecretService.Problem) -> AccountError {
    let (what, hint) =
      switch problem {
      case .unavailable(let reason):
        ("cannot be used: \(reason)", "start the desktop's keyring, or set vault to key_file")
      case .locked: ("is locked", "unlock the desktop's keyring, or set vault to key_file")
      case .withoutCollection:
        ("has no default collection", "make one with the desktop's keyring program, or set vault to key_file")
      case .silent(let seconds):
        ("did not answer within \(Int(seconds.rounded(.up))) s", "unlock or restart the desktop's keyring")
      }
    return AccountError(
      .vaultUnusable, "the Secret Service, where the key of the accounts belongs, \(what)", hint: hint)
  }
}
