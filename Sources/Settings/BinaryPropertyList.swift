import FoundationEssentials
import JOSE

/// Reads a binary property list. It has no lines.
enum BinaryPropertyList {
  static func read(_ bytes: [UInt8], _ path: String) throws(SettingsError) -> [SettingsFile.Value] {
    let root: PropertyListValue
    do {
      root = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
    } catch {
      throw SettingsError(
        .malformed, at: SettingsPlace(file: path), "not a valid binary property list",
        hint: "save it again, or convert it to XML (plutil -convert xml1)")
    }
    guard case .object(let members) = root.json else {
      throw SettingsError(
        .malformed, at: SettingsPlace(file: path), "expected a dictionary, not \(root.json.settingsKind)")
    }
    return members.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value, line: nil) }
  }
}

/// Whatever a property list can hold.
private struct PropertyListValue: Decodable {
  let json: JSON

  /// Deeper than settings go; a container that holds itself has no end.
  private static let deepest = 16

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.deepest else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
    if let container = try? decoder.container(keyedBy: Name.self) {
      var members: [String: JSON] = [:]
      for name in container.allKeys {
        members[name.stringValue] = try container.decode(PropertyListValue.self, forKey: name).json
      }
      json = .object(members)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !container.isAtEnd { elements.append(try container.decode(PropertyListValue.self).json) }
      json = .array(elements)
    } else {
      json = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(Double.self) { return .number(value) }
    if let value = try? container.decode(Data.self) { return .string(Base64URL.encode(value)) }
    return .number(try container.decode(Date.self).timeIntervalSince1970)
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
