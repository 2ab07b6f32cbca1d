import Core

/// The status page, which is for app developers and is in English like the program.
extension Page {
  static func status(_ status: TenantStatus) -> Page {
    Page(
      texts: .english, title: "Local tenant",
      content: """
        <p class="quiet">\(Contoso.domain): a directory and a task API on this machine, for development and tests.</p>
        \(settings(status))
        \(policies(status))
        \(users(status))
        \(applications(status))
        \(messages(status))
        \(requests(status))
        """, stylesheet: .status)
  }

  private static func settings(_ status: TenantStatus) -> String {
    let settings = ClientSettings(url: status.origin)
    let certificate =
      status.isSecure
      ? "\n<p class=\"quiet\">With <code>--cacert</code> and the CA file that the tenant named.</p>" : ""
    return """
      <h2>Settings to copy</h2>
      <p class="quiet">As options of <code>b2c-run</code>. A click selects them.</p>
      <pre>\(settings.flags.map(escape).joined(separator: " \\\n"))</pre>\(certificate)
      <details>
      <summary>As a file, <code>settings.plist</code></summary>
      <pre>\(escape(settings.file))</pre>
      </details>
      """
  }

  private static func policies(_ status: TenantStatus) -> String {
    let cards = Contoso.policies.map { policy in
      let address = PolicyAddress(
        origin: status.origin, form: .path, tenant: Contoso.domain, policyName: policy.name, policy: policy)
      let run =
        policy.kind == .ropc
        ? "" : " · <a href=\"\(escape(trial(address)))\" aria-label=\"Run \(policy.name)\">run it</a>"
      return """
        <li><h3>\(policy.name)</h3><p>\(escape(policy.purpose))</p><p><a href="\(escape(address.metadata))" \
        aria-label="Metadata of \(policy.name)">metadata</a>\(run)</p></li>
        """
    }
    return """
      <h2>Policies</h2>
      <p class="quiet">Metadata: <code>\(escape(status.origin))/\(Contoso.domain)/POLICY/\(PolicyAddress.metadataPath)\
      </code></p>
      <ul class="cards">\(cards.joined(separator: "\n"))</ul>
      """
  }

  /// The `state` that tells the last page of a trial that no app waits for the answer.
  static let trialState = "run-from-the-status-page"

  /// An authorization request whose answer the browser shows.
  private static func trial(_ address: PolicyAddress) -> String {
    AuthorizationAnswer.appending(
      [
        ("client_id", Contoso.publicApplication.id), ("response_type", "code"),
        ("redirect_uri", Application.outOfBand[0]), ("scope", "openid"), ("prompt", "login"), ("state", trialState),
      ], to: address.authorize)
  }

  private static func users(_ status: TenantStatus) -> String {
    let cards = status.users.map { user in
      let factor = user.otp != nil ? "authenticator app" : user.phone != nil ? "SMS" : "mail"
      return """
        <li><h3>\(shown(user.username))</h3><p>\(shown(user.displayName))</p><p>\(shown(user.email))</p>\
        <p class="quiet">second factor: \(factor)</p></li>
        """
    }
    let more = status.userCount - status.users.count
    return """
      <h2>Users</h2>
      <p class="quiet">Passwords are not shown here; those of a new directory are in the documentation.</p>
      <ul class="cards">\(cards.joined(separator: "\n"))</ul>
      \(more > 0 ? "<p>And \(more) more.</p>" : "")
      """
  }

  private static func applications(_ status: TenantStatus) -> String {
    let cards = Contoso.applications.map { application in
      let addresses = Application.outOfBand + application.redirectPrefixes.map { "\($0)…" }
      let items = addresses.map { "<li><code>\(escape($0))</code></li>" }.joined()
      return """
        <li><h3>\(escape(application.name))</h3><p><code>\(application.id)</code></p>\
        <p>\(application.secret == nil ? "public: it keeps no secret" : "with a secret")</p>\
        <p class="quiet">Redirect URIs:</p><ul><li>any on localhost, 127.0.0.1 and [::1]</li>\(items)</ul></li>
        """
    }
    let scopes = Contoso.taskScopes.map { "<li><code>\(escape(Contoso.taskScopePrefix + $0))</code></li>" }
    return """
      <h2>Applications</h2>
      <ul class="cards">\(cards.joined(separator: "\n"))
      <li><h3>Task API</h3><p><code>\(escape(status.origin))/api/tasks</code></p>\
      <p>\(status.taskCount) \(status.taskCount == 1 ? "task" : "tasks")</p><p class="quiet">Scopes:</p>\
      <ul>\(scopes.joined())</ul></li></ul>
      """
  }

  private static func messages(_ status: TenantStatus) -> String {
    let head = """
      <h2 id="messages">Messages</h2>
      <p class="quiet">Codes by mail and SMS, which are not really sent: standard error tells them, where this tenant was \
      started.</p>
      """
    guard !status.messages.isEmpty else { return "\(head)\n<p>None yet.</p>" }
    let rows = status.messages.map { message in
      """
      <tr>\(time(message.time))<td class="method">\(message.kind.rawValue)</td><td>\(shown(message.to))</td>\
      <td>\(shown(message.username))</td></tr>
      """
    }
    return """
      \(head)
      <table aria-labelledby="messages">
      <thead><tr><th scope="col">Time</th><th scope="col">By</th><th scope="col">To</th><th scope="col">User</th></tr>\
      </thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody>
      </table>
      """
  }

  /// - Parameter date: RFC 3339, UTC.
  private static func time(_ date: String) -> String {
    "<td class=\"time\"><time datetime=\"\(date)\">\(date.suffix(9).dropLast())</time></td>"
  }

  private static func requests(_ status: TenantStatus) -> String {
    guard !status.requests.isEmpty else { return "<h2>Requests</h2>\n<p>None yet.</p>" }
    let rows = status.requests.map { request in
      """
      <tr>\(time(TenantClock.date(request.time)))<td class="method">\(shown(request.method))</td>\
      <td>\(shown(request.path))</td><td class="status\(request.status >= 400 ? " failed" : "")">\(request.status)</td></tr>
      """
    }
    return """
      <h2 id="requests">Requests</h2>
      <p class="quiet">The newest first, at most \(TenantStatus.requestLimit), without queries, and without those for this \
      page. Times are UTC.</p>
      <table aria-labelledby="requests">
      <thead><tr><th scope="col">Time</th><th scope="col">Method</th><th scope="col">Path</th><th scope="col">Status</th>\
      </tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody>
      </table>
      """
  }

  /// Text from users and clients, on one line.
  private static func shown(_ text: String) -> String { escape(text.displayable.clipped(to: 200)) }
}
