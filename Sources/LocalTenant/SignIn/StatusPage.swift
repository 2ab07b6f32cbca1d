import Core
import HTTPServer
import Pages
import TenantTexts

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
    let about = "\(Contoso.domain): a directory and a task API on this machine, for development and tests."
    let content = HTML.list(
      Page.quiet(about), settings, policies, try users(), try applications(), waitingRequests, messages, requests)
    let page = Page(texts: .english, title: "Local tenant", content: content, stylesheet: .status)
    // Pages of other sites must not keep a reference to this page or embed it.
    return page.response(headers: [
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ])
  }

  private var settings: HTML {
    let settings = ClientSettings(url: origin, kind: engine.behavior.kind)
    let certificate =
      engine.isSecure
      ? HTML(.p, class: "quiet", "With ", HTML(.code, "--cacert"), " and the CA file that the tenant named.") : nil
    return .list(
      HTML(.h2, "Settings to copy"),
      HTML(.p, class: "quiet", "As options of ", HTML(.code, "b2c-run"), ". A click selects them."),
      HTML(.pre, settings.flags.joined(separator: " \\\n")), certificate,
      HTML(
        .details, HTML(.summary, "As a file, ", HTML(.code, "settings.plist")), HTML(.pre, settings.file)))
  }

  private var policies: HTML {
    let isB2C = engine.behavior.kind == .b2c
    let cards = (isB2C ? Contoso.policies : [Contoso.userFlow]).map { policy in
      let title = isB2C ? policy.name : "User flow"
      let address = PolicyAddress(
        origin: origin, form: isB2C ? .path : .tenant, tenant: Contoso.domain, policyName: policy.name, policy: policy)
      let metadata = HTML(
        .a, with: ["href": address.url(.metadata), "aria-label": "Metadata of \(title)"], "metadata")
      let run = HTML(.a, with: ["href": trial(address), "aria-label": "Run \(title)"], "run it")
      return HTML(
        .li, HTML(.h3, title), HTML(.p, policy.purpose),
        HTML(.p, metadata, policy.kind == .ropc ? nil : HTML.list(" · ", run)))
    }
    let address = "\(origin)/\(Contoso.domain)\(isB2C ? "/POLICY" : "")/\(PolicyEndpoint.metadata.rawValue)"
    return .list(
      HTML(.h2, isB2C ? "Policies" : "External ID"), HTML(.p, class: "quiet", "Metadata: ", HTML(.code, address)),
      HTML(.ul, class: "cards", cards))
  }

  private func trial(_ address: PolicyAddress) -> String {
    AuthorizationAnswer.appending(
      [
        ("client_id", Contoso.publicApplication.id), ("response_type", "code"),
        ("redirect_uri", Application.outOfBand[0]), ("scope", "openid"), ("prompt", "login"),
        ("state", Page.trialState),
      ], to: address.url(.authorize))
  }

  private func users() throws -> HTML {
    let users = try engine.directory.users(Self.userLimit)
    let cards = users.map { user in
      let factor = user.otp != nil ? "authenticator app" : user.phone != nil ? "SMS" : "mail"
      return HTML(
        .li, HTML(.h3, shown(user.username)), HTML(.p, shown(user.displayName)), HTML(.p, shown(user.email)),
        Page.quiet("second factor: \(factor)"))
    }
    let more = try engine.directory.count() - users.count
    return .list(
      HTML(.h2, "Users"),
      Page.quiet("Passwords are not shown here; those of a new directory are in the documentation."),
      HTML(.ul, class: "cards", cards), more > 0 ? HTML(.p, "And \(more) more.") : nil)
  }

  private func applications() throws -> HTML {
    func codes(_ texts: [String]) -> [HTML] { texts.map { HTML(.li, HTML(.code, $0)) } }
    let cards = Contoso.applications.map { application in
      let addresses = Application.outOfBand + application.redirectPrefixes.map { "\($0)…" }
      return HTML(
        .li, HTML(.h3, application.name), HTML(.p, HTML(.code, application.id)), HTML(.p, application.kindOfClient),
        Page.quiet("Redirect URIs:"),
        HTML(.ul, HTML(.li, "any on localhost, 127.0.0.1 and [::1]"), codes(addresses)))
    }
    let taskCount = try engine.tasks.count()
    let taskAPI = HTML(
      .li, HTML(.h3, "Task API"), HTML(.p, HTML(.code, "\(origin)/api/tasks")),
      HTML(.p, "\(taskCount) \(taskCount == 1 ? "task" : "tasks")"), Page.quiet("Scopes:"),
      HTML(.ul, codes(Contoso.taskScopes)))
    return .list(HTML(.h2, "Applications"), HTML(.ul, class: "cards", cards, taskAPI))
  }

  private var messages: HTML {
    let messages = engine.postOffice.outbox.all.suffix(Self.messageLimit).reversed()
    let rows = messages.map { message in
      HTML(
        .tr, time(message.time), HTML(.td, class: "method", message.kind.rawValue), HTML(.td, shown(message.to)),
        HTML(.td, shown(message.username)))
    }
    return .list(
      HTML(.h2, id: "messages", "Messages"),
      Page.quiet(
        "Codes by mail and SMS, which are not really sent: standard error tells them, where this tenant was started."),
      rows.isEmpty ? HTML(.p, "None yet.") : table("messages", ["Time", "By", "To", "User"], rows))
  }

  /// - Parameter id: that of the heading that names the table.
  func table(_ id: String, _ columns: [String], _ rows: [HTML]) -> HTML {
    .table(with: ["aria-labelledby": id], columns.map { HTML(.th, with: ["scope": "col"], $0) }, rows)
  }

  /// - Parameter date: RFC 3339, UTC.
  private func time(_ date: String) -> HTML {
    HTML(.td, class: "time", HTML(.time, with: ["datetime": date], String(date.suffix(9).dropLast())))
  }

  private var requests: HTML {
    // Requests for this page are left out, so that they do not displace other requests.
    let requests = engine.log.all.reversed().lazy.filter { $0.path != "/" }.prefix(Self.requestLimit)
    guard !requests.isEmpty else { return .list(HTML(.h2, "Requests"), HTML(.p, "None yet.")) }
    let rows = requests.map { request in
      HTML(
        .tr, time(TenantClock.date(request.time)), HTML(.td, class: "method", shown(request.method)),
        HTML(.td, shown(request.path)),
        HTML(.td, class: request.status >= 400 ? "status failed" : "status", "\(request.status)"))
    }
    return .list(
      HTML(.h2, id: "requests", "Requests"),
      Page.quiet(
        "The newest first, at most \(Self.requestLimit), without queries, and without those for this page. Times are UTC."
      ),
      table("requests", ["Time", "Method", "Path", "Status"], Array(rows)))
  }

  /// Text from users and clients, on one line.
  func shown(_ text: String) -> String { text.displayable.clipped(to: 200) }
}

extension Application {
  fileprivate var kindOfClient: String {
    if method == .keyJWT { return "with a private key (private_key_jwt)" }
    return secret == nil ? "public: it keeps no secret" : "with a secret"
  }
}
