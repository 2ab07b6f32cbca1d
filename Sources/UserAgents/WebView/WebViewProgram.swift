import Glibc

/// The program `b2c-webview`, which has the window.
struct WebViewProgram {
  private static let name = "b2c-webview"

  let path: String

  /// The one beside this program, of its installation, of the folder it was built in, or of PATH.
  /// - Parameter ownPath: that of this program.
  /// - Throws: `no_webview`.
  init(_ environment: [String: String], ownPath: String) throws(UserAgentError) {
    guard let path = Self.candidates(environment, ownPath).first(where: ChildProcess.isProgram) else {
      throw UserAgentError(
        .noWebView, "the agent \"webview\" needs the program \(Self.name), which is not there",
        hint: "run make webview in the folder of the sources, then make install where b2c-run is installed; "
          + "or use the agent \"system\"")
    }
    self.path = path
  }

  private static func candidates(_ environment: [String: String], _ ownPath: String) -> [String] {
    var candidates: [String] = []
    let parts = ownPath.split(separator: "/").dropLast()
    let folder = "/" + parts.joined(separator: "/")
    if !parts.isEmpty { candidates += ["\(folder)/\(name)", "\(folder)/../libexec/b2c-run/\(name)"] }
    if let build = parts.lastIndex(of: ".build") {
      candidates.append("/" + parts[...build].joined(separator: "/") + "/\(name)")
    }
    // A relative folder would be whichever one this happens to run in.
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return candidates + folders.map { "\($0)/\(name)" }
  }

  static var ownPath: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }
}
