import Accounts
import Core
import Files
import Glibc
import HostLoop
package import JOSE
import JSON
import Settings

/// The keys that scripts of a run save. A key belongs to the provider of the settings, as accounts do: the settings say where
/// scripts may connect to, and a script with other settings could carry signatures of the key elsewhere.
extension RunAccounts {
  /// Stores a key under a name, in place of the one that has it.
  /// - Throws: `other_provider` if the name is the one of another provider's key.
  package func save(_ key: PrivateKey, as name: String) async throws {
    let store = try await manager().store
    _ = try await findKey(name)
    try await store.save(key, name: name, provider: session.settings().provider)
  }

  /// The key of that name.
  /// - Throws: `no_key`, `other_provider`
  package func savedKey(_ name: String) async throws -> PrivateKey {
    if let key = try await findKey(name) { return key }
    let names = try await manager().store.savedKeyNames()
    throw AccountError(
      .noKey, "there is no saved key '\(name)'",
      hint: didYouMean(name, among: names) ?? "save it first: jose.key.save(key, NAME)")
  }

  /// The key of the setting `clientKey`: a file in PEM or a JSON Web Key, or a saved key.
  func clientKey(_ place: String) async throws -> PrivateKey {
    if place.hasPrefix(SettingsKey.storedKeyPrefix) {
      let name = String(place.dropFirst(SettingsKey.storedKeyPrefix.count))
      if let key = session.tenant?.clientKey(named: name) {
        return try PrivateKey(jwk: key, at: "the key of the local tenant's application")
      }
      return try await savedKey(name)
    }
    let bytes = try contents(place, Self.keyFile, hasKey: true)
    guard bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else {
      return try PrivateKey(pem: bytes, at: "the key in \(place)")
    }
    return try PrivateKey(jwk: (try? JSON(parsing: bytes)) ?? .null, at: "the key in \(place)")
  }

  /// The certificate of the setting `clientCertificate`, a file in PEM, with its private key.
  /// - Parameter keyPlace: the setting `clientCertificateKey`; nil for a key in the file of the certificate.
  func clientCertificate(_ place: String, _ keyPlace: String?) async throws -> (pem: [UInt8], key: PrivateKey) {
    guard !place.hasPrefix(SettingsKey.storedKeyPrefix) else {
      throw AccountError(
        .noKey, "a certificate is a file, and \(place) is a saved key",
        hint: "name the file of the certificate, and the saved key in clientCertificateKey")
    }
    if let keyPlace { return (try contents(place, "certificate file"), try await clientKey(keyPlace)) }
    let pem = try contents(place, "certificate file", hasKey: true)
    return (pem, try PrivateKey(pem: pem, at: "the text in \(place)"))
  }

  private nonisolated static let keyFile = "key file"

  private func contents(_ place: String, _ what: String, hasKey: Bool = false) throws(AccountError) -> [UInt8] {
    do throws(FileFailure) {
      let file = try OpenFile(place, .streaming)
      let bytes = try file.contents(limit: 1 << 20)
      if hasKey, what == Self.keyFile || bytes.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil {
        try PrivateFile.check(file, place)
      }
      return bytes
    } catch {
      throw AccountError(
        .noKey, "the \(what) \(place) cannot be read: \(error.reason)",
        hint: error.number == EPERM
          ? nil : "a path is relative to the folder of the settings file, or to the current folder with --set")
    }
  }

  /// Removes the key of that name.
  /// - Returns: false if there was none.
  package func removeKey(_ name: String) async throws -> Bool {
    _ = try await findKey(name)
    return try await manager().store.removeKey(name)
  }

  private func findKey(_ name: String) async throws -> PrivateKey? {
    guard let (key, provider) = try await manager().store.savedKey(name) else { return nil }
    let settings = try session.settings()
    guard leads(settings, to: provider), unknownEndpoint(provider, settings) == nil else {
      throw AccountError(
        .otherProvider,
        "the saved key '\(name)' is for \(Settings.place(of: provider)), and the settings of this run are for "
          + Settings.place(of: settings.provider),
        hint: "name the settings it was saved with, --settings FILE, or use another name")
    }
    return key
  }
}
