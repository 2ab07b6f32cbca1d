import Automation
import HostLoop
import Lua

/// A format of files that a plugin reads, writes, or both.
struct PluginFormat: Sendable {
  let name: String
  let file: PluginFile
  /// Each begins with a dot, in lower case.
  let extensions: [String]
  let rows: LuaFunction?
  let write: LuaFunction?

  /// Reads the declaration.
  /// - Throws: an error that names the wrong entry.
  @HostActor
  init(_ name: String, _ declaration: Arguments, _ file: PluginFile) throws(LuaError) {
    self.name = name
    self.file = file
    rows = declaration["rows"].function
    write = declaration["write"].function
    guard rows != nil || write != nil else {
      throw declaration.failure("expected 'rows', 'write' or both", hint: "rows reads such files, write writes them")
    }
    var extensions: [String] = []
    for value in declaration["extensions"].table?.elements ?? [] {
      guard let text = value.string, text.hasPrefix("."), text.count > 1 else {
        let got = value.string.map { "\"\($0)\"" } ?? "a \(value.typeName)"
        throw declaration.failure("key 'extensions': expected texts such as \".\(name)\", got \(got)")
      }
      extensions.append(text.lowercased())
    }
    self.extensions = extensions
  }

  /// ".todoist.csv; read and written", for lists.
  var detail: String {
    let uses = [rows == nil ? nil : "read", write == nil ? nil : "written"].compactMap(\.self)
    return (extensions + [uses.joined(separator: " and ")]).joined(separator: ", ")
  }
}
