import Core
import Files
import Glibc
import JSON

/// Cookies kept from one run to the next: `$XDG_STATE_HOME/b2c-run/webview/NAME.json`, for its owner alone.
package struct WebViewSession: Sendable {
  private static let maximumNameLength = 200

  private let folder: String
  private let path: String

  /// - Throws: `session_unusable`, without a place for it or a name to call a file by.
  package init(_ name: String, environment: [String: String]) throws(UserAgentError) {
    let file = Self.fileName(name)
    guard !file.isEmpty, file.utf8.count <= Self.maximumNameLength else {
      throw UserAgentError(
        .sessionUnusable, name.isEmpty ? "the session has no name" : "the name of the session is too long",
        hint: "call it by a word: session = \"work\"")
    }
    guard let state = UserFolder.state.path({ environment[$0] }) else {
      throw UserAgentError(
        .sessionUnusable,
        "there is no place for the session \(name): neither XDG_STATE_HOME nor HOME is an absolute path",
        hint: "set HOME, or sign in without session")
    }
    folder = "\(state)/webview"
    path = "\(folder)/\(file).json"
  }

  /// Letters and digits as they are, so that the name is found again by people; no other byte means anything to a folder.
  private static func fileName(_ name: String) -> String {
    name.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || character == "-")
      return isPlain ? String(character) : "_" + String(byte, radix: 16) + "_"
    }.joined()
  }

  func cookies() throws(UserAgentError) -> [JSON] {
    guard FileSystem.exists(path) else { return [] }
    do { return try JSON(parsing: FileSystem.contents(of: path)).array ?? [] } catch {
      throw unusable("cannot be read", hint: "remove \(path)")
    }
  }

  func keep(_ cookies: [JSON]) throws(UserAgentError) {
    do { try PrivateFolder.make(folder) } catch {
      throw unusable("cannot be kept: the folder \(folder) cannot be made", hint: "check who owns the folder above it")
    }
    let temporary = "\(path).\(getpid())"
    do throws(FileFailure) {
      let file = try OpenFile(temporary, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600))
      try file.write(JSON.array(cookies).encoded().utf8)
      guard FileSystem.rename(temporary, path) == 0 else { throw FileFailure(number: errno) }
    } catch {
      FileSystem.unlink(temporary)
      throw unusable("cannot be kept: \(error.reason)", hint: "check the space and the rights of \(folder)")
    }
  }

  package func clear() throws(UserAgentError) {
    guard FileSystem.unlink(path) == 0 || errno == ENOENT else {
      throw unusable("cannot be cleared: \(String(cString: strerror(errno)))", hint: "remove \(path)")
    }
  }

  private func unusable(_ what: String, hint: String?) -> UserAgentError {
    UserAgentError(.sessionUnusable, "the session \(path) \(what)", hint: hint)
  }
}
