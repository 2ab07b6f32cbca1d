import Files
import Glibc

/// `@FILE` or `@-` behind `--set clientSecret=`: where a secret is read from that is not to be seen in the process list.
package enum SecretSource: Equatable {
  case file(String)
  case standardInput

  /// The setting that may be read from such a source.
  package static let key = "clientSecret"
  private static let maximumSize = 64 << 10

  /// Nil for a text that is the secret itself.
  init?(_ text: String) {
    guard text.hasPrefix("@") else { return nil }
    self = text == "@-" ? .standardInput : .file(String(text.dropFirst()))
  }

  /// The text of the source without the end of its line.
  func read() throws(UsageError) -> String {
    if self == .standardInput, isatty(0) != 0 {
      throw failure(
        "standard input is a terminal, which shows what is typed", hint: "pipe it in, or give a file: @FILE")
    }
    let bytes: [UInt8]
    do { bytes = try file().contents(limit: Self.maximumSize) } catch {
      throw error.number == EFBIG
        ? failure("\(place) has more than 64 KiB") : failure("cannot read \(place): \(error.reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("\(place) is not UTF-8 text") }
    let secret = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
    guard !secret.isEmpty else { throw failure("\(place) is empty") }
    guard !secret.contains(where: \.isNewline) else {
      throw failure("\(place) has several lines, expected one: the secret")
    }
    return secret
  }

  private var place: String {
    switch self {
    case .file(let path): path.isEmpty ? "a file without a name" : path
    case .standardInput: "standard input"
    }
  }

  private func file() throws(FileFailure) -> OpenFile {
    if case .file(let path) = self { try PrivateFile.open(path) } else { try OpenFile.standardInput() }
  }

  private func failure(_ reason: String, hint: String? = nil) -> UsageError {
    UsageError("--set \(Self.key): \(reason)", hint: hint)
  }
}
