package import Foundation

/// Looks for secrets, however they are spelled.
package struct SecretSearch {
  /// Each spelling with the beginning of its secret, for the message.
  private let spellings: [(bytes: Data, label: String)]

  package init(_ secrets: [String]) {
    spellings = secrets.flatMap { secret in
      Self.spellings(secret).map { ($0, "\(secret.prefix(24))…") }
    }
  }

  /// Returns the secrets that the output contains.
  package func finds(in result: Program.Result) -> [String] {
    finds(in: Data(result.output.utf8)).map { "stdout: \($0)" }
      + finds(in: Data(result.errors.utf8)).map { "stderr: \($0)" }
  }

  package func finds(in bytes: Data) -> [String] {
    Array(Set(spellings.filter { bytes.range(of: $0.bytes) != nil }.map(\.label))).sorted()
  }

  /// The files below `folder` that hold one, by their names.
  /// - Parameter given: files that were written with secrets in them.
  package func files(in folder: URL, besides given: Set<String>) throws -> [String] {
    let enumerator = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return try (enumerator?.compactMap { $0 as? URL } ?? []).flatMap { url -> [String] in
      let isFile = try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      guard isFile, !given.contains(url.lastPathComponent) else { return [] }
      return try finds(in: Data(contentsOf: url)).map { "\(url.lastPathComponent): \($0)" }
    }
  }

  private static func spellings(_ secret: String) -> Set<Data> {
    var texts: Set = [secret]
    for kept in ["-._~", "-._*", "-._~!'()*"] {
      let address = secret.addingPercentEncoding(withAllowedCharacters: letters.union(CharacterSet(charactersIn: kept)))
      let upper = address ?? secret
      let lower = upper.replacing(#/%[0-9A-F]{2}/#) { $0.output.lowercased() }
      for text in [upper, lower] { texts.formUnion([text, text.replacing("%20", with: "+")]) }
    }
    for options: JSONSerialization.WritingOptions in [
      [.fragmentsAllowed], [.fragmentsAllowed, .withoutEscapingSlashes],
    ] {
      if let json = try? JSONSerialization.data(withJSONObject: secret, options: options) {
        texts.insert(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
      }
    }
    texts.insert(secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;"))
    let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
    texts.formUnion([base64, base64.replacing("+", with: "-").replacing("/", with: "_")])
    let encodings: [String.Encoding] = [.utf8, .utf16LittleEndian, .utf16BigEndian]
    return Set(texts.flatMap { text in encodings.compactMap { text.data(using: $0) } })
  }

  private static let letters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}
