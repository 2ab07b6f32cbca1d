import JSON
import Markup

/// Reads an XML property list (plist(5)) with the line of every value.
struct XMLPropertyList {
  let file: String

  func read(_ bytes: [UInt8]) throws(SettingsError) -> [SettingsFile.Value] {
    let document: XMLElement
    do { document = try XMLElement(parsing: bytes) } catch {
      if error.kind == .libraryMissing {
        throw SettingsError(.unreadable, at: SettingsPlace(file: file), error.message, hint: error.hint)
      }
      if let placeholder = placeholder(bytes) { throw placeholder }
      throw malformed(
        error.line, "not a valid property list: \(error.message)",
        hint: "a settings file is an XML or binary property list, or JSON when its name ends in .json")
    }
    var root = document
    if root.name == "plist" {
      guard document.children.count == 1 else {
        throw malformed(document.line, "expected one <dict> in <plist>, found \(document.children.count) elements")
      }
      root = document.children[0]
    }
    guard root.name == "dict" else { throw malformed(root.line, "expected <dict>, found <\(root.name)>") }
    do { return try members(root) } catch {
      // A placeholder that happens to be well-formed, such as <b></b>, is an unexpected element.
      throw placeholder(bytes) ?? error
    }
  }

  private func placeholder(_ bytes: [UInt8]) -> SettingsError? {
    SettingsPlaceholder.find(inXML: String(decoding: bytes, as: UTF8.self), file: file)
  }

  private func members(_ dict: XMLElement) throws(SettingsError) -> [SettingsFile.Value] {
    var result: [SettingsFile.Value] = []
    var lines: [String: Int] = [:]
    var index = 0
    while index < dict.children.count {
      let key = dict.children[index]
      guard key.name == "key" else { throw malformed(key.line, "expected <key>, found <\(key.name)>") }
      let name = key.text.trimmed
      guard index + 1 < dict.children.count, dict.children[index + 1].name != "key" else {
        throw malformed(key.line, "the key \"\(name)\" has no value")
      }
      if let first = lines.updateValue(key.line, forKey: name) {
        throw malformed(key.line, "the key \"\(name)\" occurs twice, the first time in line \(first)")
      }
      let value = dict.children[index + 1]
      result.append(.init(name: name, value: try self.value(value), line: value.line, nameLine: key.line))
      index += 2
    }
    return result
  }

  private func value(_ element: XMLElement) throws(SettingsError) -> JSON {
    switch element.name {
    case "dict":
      let members = try members(element).map { ($0.name, $0.value) }
      return .object(Dictionary(members) { first, _ in first })
    case "array":
      var elements: [JSON] = []
      for child in element.children { elements.append(try value(child)) }
      return .array(elements)
    default: break
    }
    if let inner = element.children.first {
      throw malformed(inner.line, "<\(element.name)> must not contain <\(inner.name)>")
    }
    switch element.name {
    case "string", "date", "data": return .string(element.text)
    case "true": return true
    case "false": return false
    case "integer":
      guard let number = Int64(element.text.trimmed) else {
        throw malformed(element.line, "\"\(element.text)\" is not an integer")
      }
      return .integer(number)
    case "real":
      guard let number = Double(element.text.trimmed) else {
        throw malformed(element.line, "\"\(element.text)\" is not a number")
      }
      return .number(number)
    default: throw malformed(element.line, "<\(element.name)> is not an element of a property list")
    }
  }

  private func malformed(_ line: Int?, _ reason: String, hint: String? = nil) -> SettingsError {
    SettingsError(.malformed, at: SettingsPlace(file: file, line: line), reason, hint: hint)
  }
}
