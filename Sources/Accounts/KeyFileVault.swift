package import HostLoop
package import JOSE

/// Keys in files next to the store, one a group, that only their owner may read.
@HostActor
package final class KeyFileVault: Vault {
  private let folder: String
  private var keys: [String: JWK] = [:]

  package init(folder: String) {
    self.folder = folder
  }

  package func place(of group: String) -> String { "the key file \(file(of: group).path)" }

  /// The key of the group. Of several processes that find none, one makes it and all get that one.
  package func key(for group: String) throws(AccountError) -> JWK {
    if let key = keys[group] { return key }
    try PrivateFolder.make(folder)
    let key = try file(of: group).key()
    keys[group] = key
    return key
  }

  /// A group may be any text, a file name may not: other bytes than letters, digits and `-` are spelled in hexadecimal.
  private func file(of group: String) -> KeyFile {
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
