package import HostLoop
package import JOSE
import JSON

/// Keys in files next to the store, one a group, that only their owner may read.
@HostActor
package final class KeyFileVault: Vault {
  package nonisolated let kind = VaultKind.keyFile
  private let folder: String
  private var keys: [String: JWK] = [:]

  package init(folder: String) { self.folder = folder }

  package nonisolated func place(of group: String) -> String { "the key file \(file(of: group).path)" }

  /// The key of the group. Of several processes that find none, one makes it and all get that one.
  package func key(for group: String) throws(AccountError) -> JWK {
    if let key = keys[group] { return key }
    try AccountStore.makeFolder(folder)
    let key = try file(of: group).key()
    keys[group] = key
    return key
  }

  package func storedKey(for group: String) throws(AccountError) -> JWK? {
    if let key = keys[group] { return key }
    keys[group] = try file(of: group).read()
    return keys[group]
  }

  package func keep(_ key: JWK, for group: String) throws(AccountError) {
    try AccountStore.makeFolder(folder)
    guard try file(of: group).write(key).json == key.json else { throw otherKey(group) }
    keys[group] = key
  }

  package func removeKey(for group: String) throws(AccountError) {
    try file(of: group).remove()
    keys[group] = nil
  }

  /// A group may be any text, a file name may not: other bytes than letters, digits and `-` are spelled in hexadecimal.
  private nonisolated func file(of group: String) -> KeyFile {
    let name = group.utf8.reduce(into: "") { name, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "_" + String(byte, radix: 16) + "_"
      }
    }
    return KeyFile(path: "\(folder)/accounts-\(name).key")
  }
}
