import Files
import Glibc
import JOSE
import JSON

/// The keys of groups in one file, as machines hand them to each other: a JSON Web Key Set (RFC 7517, section 5) whose
/// keys name their group in the member `group`, and have an ID. The key file of a machine, with one key, is read, too.
struct StoreKeyFile {
  struct Entry {
    /// Nil in the key file of a machine.
    let group: String?
    let key: JWK
  }

  let path: String
  /// True for a file that systemd guards.
  private let isCredential: Bool

  /// Thousands of keys fit.
  private static let longest = 1 << 20

  init(path: String, isCredential: Bool = false) {
    self.path = path
    self.isCredential = isCredential
  }

  /// The keys; nil if there is no file.
  func read() throws(AccountError) -> [Entry]? {
    let file: OpenFile
    do { file = try OpenFile(path, .streaming) } catch {
      if error.number == ENOENT { return nil }
      throw AccountError(
        .keyUnusable, "the key file \(path) cannot be read: \(error.reason)", hint: "check its owner and its mode")
    }
    if !isCredential { try checkPrivate(file, path, what: "the key file", kind: .keyUnusable) }
    guard let text = try? file.contents(limit: Self.longest), let json = try? JSON(parsing: text),
      let entries = Self.entries(json), !entries.isEmpty
    else {
      throw AccountError(
        .keyUnusable, "the file \(path) holds no keys of a store, or was changed",
        hint: "copy it again, or make it again on a machine that has the keys: b2c-run store key export FILE")
    }
    return entries
  }

  private static func entries(_ json: JSON) -> [Entry]? {
    guard let keys = json["keys"]?.array else { return sealingKey(json).map { [Entry(group: nil, key: $0)] } }
    var entries: [Entry] = []
    for json in keys {
      guard let group = json["group"]?.string, let members = json.object,
        let key = sealingKey(.object(members.filter { $0.key != "group" && $0.key != "kid" })),
        json["kid"]?.string == key.thumbprint
      else { return nil }
      entries.append(Entry(group: group, key: key))
    }
    return entries
  }

  /// Writes a new file that only its owner may read.
  func write(_ entries: [Entry]) throws(AccountError) {
    let keys = entries.map { entry in
      var members = entry.key.json.object ?? [:]
      members["kid"] = .string(entry.key.thumbprint)
      members["group"] = entry.group.map(JSON.string)
      return JSON.object(members)
    }
    let bytes = Array(JSON.object(["keys": .array(keys)]).encoded().utf8)
    guard try KeyFile(path: path).place(bytes) else {
      throw AccountError(.keyUnusable, "there is a file \(path) already", hint: "name a new file")
    }
  }
}
