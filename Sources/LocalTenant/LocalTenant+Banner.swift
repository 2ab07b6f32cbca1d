extension LocalTenant {
  /// The text that `b2c-run tenant` prints at its start. `settingsFile` is the same information for a client.
  /// - Parameter certificate: with https, the path of the certificate that clients must trust.
  package func banner(certificate: String? = nil) -> String {
    let policy = Contoso.policies[0].name
    var lines = [
      "Local tenant \(Contoso.domain) at \(url)",
      "",
      "  status page   \(url)/",
      "  metadata      \(url)/\(Contoso.domain)/\(policy)/v2.0/.well-known/openid-configuration",
      "  task API      \(url)/api/tasks",
      "  policies      "
        + Contoso.policies.map { "\($0.name) (\($0.purpose))" }.joined(separator: "\n                "),
      "  public app    \(Contoso.publicApplication.id)",
      "  web app       \(Contoso.confidentialApplication.id), secret \(Contoso.confidentialApplication.secret ?? "")",
      "  API scopes    " + Contoso.taskScopes.map { Contoso.taskScopePrefix + $0 }.joined(separator: " "),
      "  redirects     any loopback URL, urn:ietf:wg:oauth:2.0:oob",
    ]
    if let certificate { lines.append("  CA file       \(certificate)") }
    lines += ["", "Users of a new directory:", ""]
    for user in Self.seededUsers {
      lines.append("  \(user.username.padded(to: 12))  \(user.email.padded(to: 24))  \(user.password)")
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
