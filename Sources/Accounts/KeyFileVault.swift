import Core
import Crypto
import Files
import Glibc
package import HostLoop
package import JOSE
import JSON

/// Keys in files next to the store, one a group, that only their owner may read. A service gets them as credentials instead:
/// all in the file that `store key export` has written, or one a group.
@HostActor
package final class KeyFileVault: Vault {
  package nonisolated let kind = VaultKind.keyFile
  private let folder: String
  private let credentials: String?
  private var keys: [String: JWK] = [:]

  /// The name of the credential with the keys of all groups.
  package nonisolated static let credential = "accounts.key"

  /// True for the names of credentials that hold keys, which are no secrets for scripts.
  package nonisolated static func isCredential(_ name: String) -> Bool {
    name == credential || name.hasPrefix("accounts-") && name.hasSuffix(".key")
  }

  /// - Parameter credentials: the folder of systemd's credentials.
  package init(folder: String, credentials: String? = nil) {
    self.folder = folder
    self.credentials = credentials
  }

  package nonisolated func place(of group: String) -> String { "the key file \(file(of: group).path)" }

  package func storedKey(for group: String) throws(AccountError) -> JWK? {
    if let key = keys[group] { return key }
    if let credentials { keys[group] = try credential(in: credentials, for: group) }
    if keys[group] == nil { keys[group] = try file(of: group).read() }
    return keys[group]
  }

  private func credential(in folder: String, for group: String) throws(AccountError) -> JWK? {
    if let key = try KeyFile(path: "\(folder)/\(Self.name(of: group))", isCredential: true).read() { return key }
    let all = try StoreKeyFile(path: "\(folder)/\(Self.credential)", isCredential: true).read() ?? []
    return all.first { $0.group == group }?.key
  }

  package func put(_ key: JWK, for group: String) throws(AccountError) -> JWK {
    try AccountStore.makeFolder(folder)
    let kept = try file(of: group).write(key)
    keys[group] = kept
    return kept
  }

  package func removeKey(for group: String) throws(AccountError) {
    try file(of: group).remove()
    keys[group] = nil
  }

  /// A group may be any text, a file name may not: other bytes than letters, digits and `-` are spelled in hexadecimal.
  package nonisolated static func name(of group: String) -> String {
    let name = group.utf8.reduce(into: "") { name, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "_" + String(byte, radix: 16) + "_"
      }
    }
    return "accounts-\(name).key"
  }

  private nonisolated func file(of group: String) -> KeyFile { KeyFile(path: "\(folder)/\(Self.name(of: group))") }
}

/// A symmetric key of 256 bits in a file (a JSON Web Key, RFC 7517), which several processes may ask for at a time.
package struct KeyFile: Sendable {
  package let path: String
  /// True for a file that systemd guards.
  private let isCredential: Bool

  package init(path: String, isCredential: Bool = false) {
    self.path = path
    self.isCredential = isCredential
  }

  /// The key; nil if there is no file.
  package func read() throws(AccountError) -> JWK? {
    let file: OpenFile
    do { file = try OpenFile(path, .streaming) } catch {
      if error.number == ENOENT { return nil }
      throw unusable("cannot be read: \(error.reason)")
    }
    if !isCredential { try checkPrivate(file, path, what: "the key file", kind: .keyUnusable) }
    // A key of 256 bits takes 60 characters or so.
    guard let text = try? file.contents(limit: 4096), let json = try? JSON(parsing: text), let key = sealingKey(json)
    else { throw unusable("is damaged: it does not hold a symmetric key of 256 bits as JSON (RFC 7517)") }
    return key
  }

  /// Writes the key, unless another process was first.
  /// - Returns: the key the file holds now: theirs, when another process was first.
  package func write(_ key: JWK) throws(AccountError) -> JWK {
    if try place(Array(key.json.encoded().utf8)) { return key }
    guard let theirs = try read() else { throw unusable("was removed while it was being made") }
    return theirs
  }

  /// Writes bytes to a file of its own and links it to its name. Returns false if there is such a file already.
  func place(_ bytes: [UInt8]) throws(AccountError) -> Bool {
    let draft = "\(path).\(CurrentTape.paused { SecureRandom.token(8) })"
    let file: OpenFile
    do { file = try OpenFile(draft, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)) } catch {
      throw unmade("cannot be made: \(error.reason)")
    }
    defer { FileSystem.unlink(draft) }
    do throws(FileFailure) {
      try file.write(bytes)
      guard fsync(file.descriptor) == 0 else { throw FileFailure(number: errno) }
    } catch { throw unmade("cannot be written: \(error.reason)") }
    if FileSystem.link(draft, path) == 0 { return true }
    guard errno == EEXIST else { throw unmade("cannot be made: \(reason)") }
    return false
  }

  /// Nothing happens when there is no such file.
  package func remove() throws(AccountError) {
    guard FileSystem.unlink(path) == 0 || errno == ENOENT else { throw unusable("cannot be removed: \(reason)") }
  }

  private var reason: String { String(cString: strerror(errno)) }

  private func unmade(_ what: String) -> AccountError {
    AccountError(.keyUnusable, "the key file \(path) \(what)", hint: "check its folder, and the room on its disk")
  }

  private func unusable(_ what: String) -> AccountError {
    AccountError(
      .keyUnusable, "the key file \(path) \(what)",
      hint: "put the file back or repair its folder; without the key, move the file away and sign in again")
  }
}

/// Refuses a file that somebody else owns or may read.
func checkPrivate(_ file: OpenFile, _ path: String, what: String, kind: AccountError.Kind) throws(AccountError) {
  let status: stat
  do { status = try file.status() } catch {
    throw AccountError(kind, "\(what) \(path) cannot be examined: \(error.reason)")
  }
  guard status.st_uid == geteuid() else {
    throw AccountError(
      kind, "\(what) \(path) belongs to another user (number \(status.st_uid))",
      hint: "give another folder with --store")
  }
  guard status.st_mode & 0o077 == 0 else {
    throw AccountError(
      kind, "\(what) \(path) is open to others (mode \(PrivateFile.mode(status))); it must have mode 0600",
      hint: "run: chmod 600 '\(path)', and sign in again if others may have read it")
  }
}
