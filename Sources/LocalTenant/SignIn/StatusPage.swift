import Core
import HTTPServer

/// The tenant's root page: the applications, the users and the latest requests. It is for app developers and is in English
/// like the program. It has no password, code, token or client secret, so it may stay open beside a sign-in.
struct StatusPage {
  private static let requestLimit = 50
  private static let userLimit = 100
  private static let messageLimit = 20

  let engine: Engine
  /// The tenant's address as the browser wrote it.
  let origin: String

  func response() throws -> ServerResponse {
    let page = Page(
      texts: .english, title: "Local tenant",
      content: """
        <p class="quiet">\(Contoso.domain): a directory and a task API on this machine, for development and tests.</p>
        \(settings)
        \(policies)
        \(try users())
        \(try applications())
        \(waitingRequests)
        \(messages)
        \(requests)
        """, stylesheet: .status)
    // Pages of other sites must not keep a reference to this page or embed it.
    return page.response(headers: [
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ])
  }

  private var settings: String {
    let settings = ClientSettings(url: origin, kind: engine.behavior.kind)
    let certificate =
      engine.isSecure
      ? "\n<p class=\"quiet\">With <code>--cacert</code> and the CA file that the tenant named.</p>" : ""
    return """
      <h2>Settings to copy</h2>
      <p class="quiet">As options of <code>b2c-run</code>. A click selects them.</p>
      <pre>\(settings.flags.map(Page.escape).joined(separator: " \\\n"))</pre>\(certificate)
      <details>
      <summary>As a file, <code>settings.plist</code></summary>
      <pre>\(Page.escape(settings.file))</pre>
      </details>
      """
  }

  private var policies: String {
    let isB2C = engine.behavior.kind == .b2c
    let cards = (isB2C ? Contoso.policies : [Contoso.userFlow]).map { policy in
      let title = isB2C ? policy.name : "User flow"
      let address = PolicyAddress(
        origin: origin, form: isB2C ? .path : .tenant, tenant: Contoso.domain, policyName: policy.name, policy: policy)
      let run =
        policy.kind == .ropc
        ? "" : " · <a href=\"\(Page.escape(trial(address)))\" aria-label=\"Run \(title)\">run it</a>"
      return """
        <li><h3>\(title)</h3><p>\(Page.escape(policy.purpose))</p><p><a href="\(Page.escape(address.url(.metadata)))" \
        aria-label="Metadata of \(title)">metadata</a>\(run)</p></li>
        """
    }
    return """
      <h2>\(isB2C ? "Policies" : "External ID")</h2>
      <p class="quiet">Metadata: <code>\(Page.escape(origin))/\(Contoso.domain)\(isB2C ? "/POLICY" : "")\
      /\(PolicyEndpoint.metadata.rawValue)\
      </code></p>
      <ul class="cards">\(cards.joined(separator: "\n"))</ul>
      """
  }

  private func trial(_ address: PolicyAddress) -> String {
    AuthorizationAnswer.appending(
      [
        ("client_id", Contoso.publicApplication.id), ("response_type", "code"),
        ("redirect_uri", Application.outOfBand[0]), ("scope", "openid"), ("prompt", "login"),
        ("state", Page.trialState),
      ], to: address.url(.authorize))
  }

  private func users() throws -> String {
    let users = try engine.directory.users(Self.userLimit)
    let cards = users.map { user in
      let factor = user.otp != nil ? "authenticator app" : user.phone != nil ? "SMS" : "mail"
      return """
        <li><h3>\(shown(user.username))</h3><p>\(shown(user.displayName))</p><p>\(shown(user.email))</p>\
        <p class="quiet">second factor: \(factor)</p></li>
        """
    }
    let more = try engine.directory.count() - users.count
    return """
      <h2>Users</h2>
      <p class="quiet">Passwords are not shown here; those of a new directory are in the documentation.</p>
      <ul class="cards">\(cards.joined(separator: "\n"))</ul>
      \(more > 0 ? "<p>And \(more) more.</p>" : "")
      """
  }

  private func applications() throws -> String {
    let cards = Contoso.applications.map { application in
      let addresses = Application.outOfBand + application.redirectPrefixes.map { "\($0)…" }
      let items = addresses.map { "<li><code>\(Page.escape($0))</code></li>" }.joined()
      return """
        <li><h3>\(Page.escape(application.name))</h3><p><code>\(application.id)</code></p>\
        <p>\(application.kindOfClient)</p>\
        <p class="quiet">Redirect URIs:</p><ul><li>any on localhost, 127.0.0.1 and [::1]</li>\(items)</ul></li>
        """
    }
    let scopes = Contoso.taskScopes.map { "<li><code>\(Page.escape($0))</code></li>" }
    let taskCount = try engine.tasks.count()
    return """
      <h2>Applications</h2>
      <ul class="cards">\(cards.joined(separator: "\n"))
      <li><h3>Task API</h3><p><code>\(Page.escape(origin))/api/tasks</code></p>\
      <p>\(taskCount) \(taskCount == 1 ? "task" : "tasks")</p><p class="quiet">Scopes:</p>\
      <ul>\(scopes.joined())</ul></li></ul>
      """
  }

  private var messages: String {
    let head = """
      <h2 id="messages">Messages</h2>
      <p class="quiet">Codes by mail and SMS, which are not really sent: standard error tells them, where this tenant was \
      started.</p>
      """
    let messages = engine.postOffice.outbox.all.suffix(Self.messageLimit).reversed()
    guard !messages.isEmpty else { return "\(head)\n<p>None yet.</p>" }
    let rows = messages.map { message in
      """
      <tr>\(time(message.time))<td class="method">\(message.kind.rawValue)</td><td>\(shown(message.to))</td>\
      <td>\(shown(message.username))</td></tr>
      """
    }
    return "\(head)\n" + table("messages", ["Time", "By", "To", "User"], rows)
  }

  func table(_ id: String, _ columns: [String], _ rows: [String]) -> String {
    """
    <table aria-labelledby="\(id)">
    <thead><tr>\(columns.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
    <tbody>
    \(rows.joined(separator: "\n"))
    </tbody>
    </table>
    """
  }

  /// - Parameter date: RFC 3339, UTC.
  private func time(_ date: String) -> String {
    "<td class=\"time\"><time datetime=\"\(date)\">\(date.suffix(9).dropLast())</time></td>"
  }

  private var requests: String {
    // Requests for this page are left out, so that they do not displace other requests.
    let requests = engine.log.all.reversed().lazy.filter { $0.path != "/" }.prefix(Self.requestLimit)
    guard !requests.isEmpty else { return "<h2>Requests</h2>\n<p>None yet.</p>" }
    let rows = requests.map { request in
      """
      <tr>\(time(TenantClock.date(request.time)))<td class="method">\(shown(request.method))</td>\
      <td>\(shown(request.path))</td><td class="status\(request.status >= 400 ? " failed" : "")">\(request.status)</td></tr>
      """
    }
    return """
      <h2 id="requests">Requests</h2>
      <p class="quiet">The newest first, at most \(Self.requestLimit), without queries, and without those for this \
      page. Times are UTC.</p>

      """ + table("requests", ["Time", "Method", "Path", "Status"], Array(rows))
  }

  /// Text from users and clients, on one line.
  func shown(_ text: String) -> String { Page.escape(text.displayable.clipped(to: 200)) }
}

extension Application {
  fileprivate var kindOfClient: String {
    if method == .keyJWT { return "with a private key (private_key_jwt)" }
    return secret == nil ? "public: it keeps no secret" : "with a secret"
  }
}
