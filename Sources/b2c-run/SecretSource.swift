import Files
import Glibc

/// `@FILE` or `@-` behind `--set clientSecret=`: where a secret is read from that is not to be seen in the process list.
enum SecretSource: Equatable {
  case file(String)
  case standardInput

  /// The setting that may be given this way.
  static let key = "clientSecret"
  /// More than any secret has.
  private static let maximumSize = 64 << 10

  /// Nil for a text that is the secret itself.
  init?(_ text: String) {
    guard text.hasPrefix("@") else { return nil }
    self = text == "@-" ? .standardInput : .file(String(text.dropFirst()))
  }

  /// The text of the source without the end of its line.
  func read() throws(UsageError) -> String {
    let bytes: [UInt8]
    switch self {
    case .file(let path):
      do { bytes = try contents(of: OpenFile(path, .streaming)) } catch { throw refused(error) }
    case .standardInput:
      guard isatty(0) == 0 else {
        throw failure(
          "standard input is a terminal, which shows what is typed", hint: "pipe it in, or give a file: @FILE")
      }
      do { bytes = try contents(of: OpenFile.standardInput()) } catch { throw refused(error) }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("\(place) is no text in UTF-8") }
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

  private func contents(of file: OpenFile) throws(FileFailure) -> [UInt8] { try file.contents(limit: Self.maximumSize) }

  private func refused(_ failure: FileFailure) -> UsageError {
    failure.number == EFBIG
      ? self.failure("\(place) has more than 64 KiB") : self.failure("cannot read \(place): \(failure.reason)")
  }

  private func failure(_ reason: String, hint: String? = nil) -> UsageError {
    UsageError("--set \(Self.key): \(reason)", hint: hint)
  }
}
