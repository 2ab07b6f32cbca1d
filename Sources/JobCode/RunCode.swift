import Core
import Crypto
package import JSON

/// The code that a run began with: its script, and the modules that the script has loaded so far. A run that sleeps, waits or is
/// tried again continues with this code, whatever happens to the files.
package struct RunCode: Sendable, Equatable {
  /// A file with Lua source text.
  package struct File: Sendable, Equatable {
    /// The name of the module as `require` gets it; nil for the script.
    package var module: String?
    package var path: String
    package var source: [UInt8]

    package init(module: String? = nil, path: String, source: [UInt8]) {
      (self.module, self.path, self.source) = (module, path, source)
    }
  }

  /// The script.
  package let script: File
  /// The modules, in the order in which the script has loaded them.
  package private(set) var modules: [File] = []

  /// The most bytes of source text. Larger programs are not kept.
  package static let most = 16 << 20

  package init(script: File) { self.script = script }

  package mutating func add(_ file: File) {
    if !modules.contains(where: { $0.module == file.module }) { modules.append(file) }
  }

  /// The module with this name; nil if the run has not loaded it.
  package func module(_ name: String) -> File? { modules.first { $0.module == name } }

  package var files: [File] { [script] + modules }

  package var isTooLarge: Bool { files.reduce(0) { $0 + $1.source.count } > Self.most }

  // MARK: JSON

  /// The code as text, the same each time. The digest is that of the text.
  package var text: String { json.encoded() }

  /// SHA-256 in hexadecimal of a code's text.
  package static func digest(of text: String) -> String { SHA256.hash(text.utf8).hexadecimal }

  package var json: JSON { .array(files.map(\.json)) }

  /// Nil for a text that does not describe code.
  package init?(_ json: JSON?) {
    guard let files = json?.array?.map(File.init), let first = files.first, let script = first else { return nil }
    self.script = script
    for file in files.dropFirst() {
      guard let file else { return nil }
      modules.append(file)
    }
  }
}

extension RunCode.File {
  fileprivate var json: JSON {
    // A source text may be in any encoding.
    var members: [String: JSON] = ["path": .string(path), "source": .string(Base64URL.encode(source))]
    members["module"] = module.map { .string($0) }
    return .object(members)
  }

  fileprivate init?(_ json: JSON) {
    guard let path = json["path"]?.string, let source = json["source"]?.string.flatMap({ Base64URL.decode($0) }) else {
      return nil
    }
    self.init(module: json["module"]?.string, path: path, source: source)
  }
}
