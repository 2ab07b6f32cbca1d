import FoundationEssentials

extension SettingsCheck {
  /// Checks an address that gets tokens or passwords: in the clear only on this machine.
  func checkEndpoint(_ text: String) throws(SettingsError) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty
    else { throw notAbsolute(text) }
    guard !text.contains("\\") else {
      throw invalid("has a backslash, which some programs read as a slash: \"\(text)\"", key.remedy)
    }
    guard url.user == nil, url.password == nil else {
      throw invalid("has a user name or password in it, which errors and logs would show", "take them out")
    }
    switch scheme {
    case "https": break
    case "http":
      guard isLoopback(host: host) else {
        throw invalid(
          "would send secrets in the clear to \(host): \"\(text)\"",
          "use https; http is for this machine only (localhost, 127.0.0.1)")
      }
    default: throw invalid("is \"\(text)\", which is neither https nor http", key.remedy)
    }
  }

  func checkRedirect(_ text: String) throws(SettingsError) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = url.scheme?.lowercased()
    else { throw notAbsolute(text) }
    guard url.fragment == nil else {
      throw invalid("has a fragment, which a redirect URI must not have (RFC 6749, 3.1.2): \"\(text)\"", nil)
    }
    if scheme == "http" || scheme == "https" { try checkEndpoint(text) }
  }

  private func notAbsolute(_ text: String) -> SettingsError {
    invalid("is \"\(text)\", which is not an absolute URL", key.remedy)
  }
}

/// True if a URL's host is this machine: `localhost` and names under it, 127.0.0.0/8, `[::1]`.
func isLoopback(host: String) -> Bool {
  let name = host.lowercased()
  if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" || name == "::1" { return true }
  let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
  return numbers.count == 4 && numbers[0] == "127"
    && numbers.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } && UInt8($0) != nil }
}
