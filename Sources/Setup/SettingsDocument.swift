import Core
package import JSON
import Settings

/// The text of a settings file.
package enum SettingsDocument {
  /// - Parameter path: decides the form: JSON if it ends in `.json`, else a property list.
  package static func text(_ values: [String: JSON], for path: String) -> String {
    if path.hasSuffix(".json") { return JSON.object(values).encoded(pretty: true) + "\n" }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(element(.object(values), margin: ""))
      </plist>

      """
  }

  /// The names in the order in which the program's pages list them.
  private static func sorted(_ members: [String: JSON]) -> [(String, JSON)] {
    let order = Dictionary(SettingsKey.allCases.enumerated().map { ($1.rawValue, $0) }) { first, _ in first }
    return members.sorted { (order[$0.key] ?? .max, $0.key) < (order[$1.key] ?? .max, $1.key) }
  }

  private static func element(_ value: JSON, margin: String) -> String {
    switch value {
    case .object(let members):
      let lines = sorted(members).map { name, value in
        "\(margin)  <key>\(HTMLText.escape(name))</key>\n\(margin)  \(element(value, margin: margin + "  "))"
      }
      return "<dict>\n\(lines.joined(separator: "\n"))\n\(margin)</dict>"
    case .array(let values):
      let lines = values.map { "\(margin)  \(element($0, margin: margin + "  "))" }
      return "<array>\n\(lines.joined(separator: "\n"))\n\(margin)</array>"
    default: return "<string>\(HTMLText.escape(value.string ?? ""))</string>"
    }
  }
}
