import Core
import Crypto
package import HostLoop
package import JOSE
import JSON

/// A place for the keys that seal tokens: one for each group.
@HostActor
package protocol Vault: Sendable {
  nonisolated var kind: VaultKind { get }
  /// The 256-bit key of the group; nil when there is none.
  func storedKey(for group: String) async throws(AccountError) -> JWK?
  /// Puts the key of a group there, and returns the key that is there now: another process's, if that was first.
  func put(_ key: JWK, for group: String) async throws(AccountError) -> JWK
  /// Takes the group's key out; nothing happens when there is none.
  func removeKey(for group: String) async throws(AccountError)
  /// The place of the key, for messages: "the key file …".
  nonisolated func place(of group: String) -> String
}

extension Vault {
  /// The 256-bit key of the group, made when there is none.
  package func key(for group: String) async throws(AccountError) -> JWK {
    if let key = try await storedKey(for: group) { return key }
    return try await put(makeKey(), for: group)
  }

  /// Puts a key there that was made elsewhere; nothing happens when it is there already. A group's key is never written
  /// over: what it sealed would be lost.
  /// - Throws: `key_unusable` when the group has another key there.
  package func keep(_ key: JWK, for group: String) async throws(AccountError) {
    var kept = try await storedKey(for: group)
    if kept == nil { kept = try await put(key, for: group) }
    guard kept?.json == key.json else {
      throw AccountError(
        .keyUnusable, "there is another key already in \(place(of: group))",
        hint: "if nothing needs that key any longer, remove it and try again")
    }
  }
}

/// The kinds of vaults.
package enum VaultKind: String, Sendable, CaseIterable {
  /// A file next to the store.
  case keyFile = "key_file"
  /// The desktop's Secret Service: GNOME Keyring, KWallet, KeePassXC.
  case secretService = "secret_service"
  /// Gone with the process.
  case memory
}

/// Which vault a store is to use.
package enum VaultChoice: String, Sendable, CaseIterable {
  /// The one the key is in; for a new key the Secret Service where the store is the user's own and the service can be
  /// used at once, else a key file.
  case automatic
  case keyFile = "key_file"
  case secretService = "secret_service"
}

/// Keys that live as long as the process, for stores that do.
@HostActor
package final class MemoryVault: Vault {
  package nonisolated let kind = VaultKind.memory
  private var keys: [String: JWK] = [:]

  package init() {}

  package func storedKey(for group: String) -> JWK? { keys[group] }

  package func put(_ key: JWK, for group: String) -> JWK {
    keys[group] = key
    return key
  }

  package func removeKey(for group: String) { keys[group] = nil }

  package nonisolated func place(of group: String) -> String { "the key in memory" }
}

func makeKey() throws(AccountError) -> JWK {
  // The key belongs to the store, which is another one in a replay.
  let made = CurrentTape.paused { Result { () throws(JOSEError) in try JWK.generateSymmetric(bits: 256) } }
  do throws(JOSEError) { return try made.get() } catch {
    throw AccountError(.keyUnusable, "no key could be made to seal tokens with: \(error.message)")
  }
}

/// A key to seal tokens with; nil when the JSON Web Key is no symmetric one of 256 bits.
func sealingKey(_ json: JSON) -> JWK? {
  guard let key = try? JWK(json), key.type == "oct", json["k"]?.string.flatMap(Base64URL.decode)?.count == 32 else {
    return nil
  }
  return key
}
