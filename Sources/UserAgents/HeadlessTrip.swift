import Core
package import HTTPClient
package import HostLoop
import JSON
import Markup

/// A browser without a window and without scripts: it follows redirects, keeps cookies, and fills and submits forms.
@HostActor
package final class HeadlessAgent: UserAgent {
  let http: HTTPClient

  package init(http: HTTPClient) { self.http = http }

  /// Fills each page with the request's user name and password, or lets `onPage` do it.
  package func open(_ request: NavigationRequest) async throws -> String { try await HeadlessTrip(request, http).run() }
}

@HostActor
final class HeadlessTrip {
  private static let maximumPages = 20
  private static let maximumRedirects = 20

  let request: NavigationRequest
  private let http: HTTPClient
  private let cookies: CookieJar
  private let deadline: Double
  /// True if a form has been submitted, so that a new report on a page is about what was submitted.
  private var hasSubmitted = false
  private var hasSubmittedPassword = false
  /// The fields for one-time codes that were filled in: one that comes again was filled in wrongly.
  private var submittedCodes: Set<String> = []
  /// The reports of earlier pages; some show a notice from the start.
  private var knownAlerts: Set<String> = []
  private var lastAlerts: [String] = []
  /// The passwords and codes that were filled in, which pages may repeat.
  private let filled = Redactor()

  init(_ request: NavigationRequest, _ http: HTTPClient) {
    self.request = request
    self.http = http
    cookies = request.cookies ?? CookieJar()
    deadline = HostLoop.uptime + request.timeout
  }

  func run() async throws -> String {
    var step = Step.get(request.url)
    var redirects = 0
    var pages = 0
    while true {
      try await request.decide(on: step.url)
      if request.kind(of: step.url) == .redirect {
        // An address that the trip begins with is the script's own.
        if step.url != request.url { RedirectSecrets.register(step.url) }
        return step.url
      }
      let response = try await send(step)
      if let next = try step.redirected(by: response) {
        redirects += 1
        guard redirects <= Self.maximumRedirects else {
          throw UserAgentError(
            .tooManyRedirects,
            "the sign-in was redirected more than \(Self.maximumRedirects) times, last to \(Address.shown(next.url))")
        }
        step = next
        continue
      }
      redirects = 0
      pages += 1
      guard pages <= Self.maximumPages else {
        throw UserAgentError(
          .tooManyPages,
          "the sign-in showed more than \(Self.maximumPages) pages, last \(Address.shown(response.url)); the one before says: \(excerpt(lastAlerts.joined(separator: " "), without: filled))",
          hint: "check what on_page submits")
      }
      guard let next = try await handle(response) else { return response.url }
      step = next
    }
  }

  func send(_ step: Step) async throws -> HTTPResponse {
    guard Address.isSafe(step.url) else { throw request.insecure(step.url) }
    let remaining = deadline - HostLoop.uptime
    guard remaining > 0 else {
      throw UserAgentError(
        .timeout,
        "the sign-in took longer than \(formatSeconds(request.timeout)); it had come to \(Address.shown(step.url))")
    }
    return try await http.send(step.request(cookies: cookies, timeout: min(30, remaining)))
  }

  /// The step that a page leads to; nil when the page ends a trip without a redirect.
  private func handle(_ response: HTTPResponse) async throws -> Step? {
    guard let page = try page(of: response) else { throw notAPage(response) }
    if let form = page.contents.first(where: { request.kind(of: page.action(of: $0)) == .redirect }) {
      // response_mode=form_post: the page would have the browser post the parameters to the redirect URI.
      return .get(WebAddress(page.action(of: form)).appending(URLEncodedForm.encode(form.submittedFields)))
    }
    if let link = redirectLink(page) { return .get(link) }
    if let target = page.refreshTarget { return .get(target) }
    if response.status >= 400, page.contents.isEmpty { throw page.failed() }
    lastAlerts = page.alerts
    try await request.onPage?(page)
    if page.submission == nil, page.target == nil, page.filled != nil { try page.submit() }
    if page.submission == nil, page.target == nil {
      if request.redirectURI == nil, page.contents.isEmpty, !page.needsScripts { return nil }
      try await fill(page)
    }
    if let target = page.target { return .get(target) }
    guard let submission = page.submission else { throw page.notUnderstood() }
    return Step(submission, from: page.url)
  }

  /// For an app without a web address the page that ends the sign-in shows the redirect instead of going there.
  private func redirectLink(_ page: HeadlessPage) -> String? {
    guard let redirectURI = request.redirectURI, Origin(redirectURI) == nil else { return nil }
    return page.links.lazy.map(\.url).first { request.kind(of: $0) == .redirect }
  }

  private func fill(_ page: HeadlessPage) async throws {
    let asksAgain = hasSubmittedPassword && page.contents.contains(where: hasPassword)
    if asksAgain || hasSubmitted && !knownAlerts.isSuperset(of: page.alerts) {
      throw page.rejected(credential: submittedCodes.isEmpty || asksAgain ? "password" : "code")
    }
    if page.needsScripts { throw page.scripted() }
    if let field = page.codeField, submittedCodes.contains(field) { throw page.rejected(credential: "code") }
    switch try await CredentialFiller(request: request).fill(page) {
    case .notUnderstood: throw page.notUnderstood()
    case .credentials:
      hasSubmittedPassword = hasSubmittedPassword || page.submission.map { hasPassword($0.form) } == true
    case .code: submittedCodes.formUnion(page.codeField.map { [$0] } ?? [])
    case .confirmation: break
    }
    hasSubmitted = true
    knownAlerts.formUnion(page.alerts)
  }

  private func hasPassword(_ form: HTMLForm) -> Bool { !form.passwords.isEmpty }

  /// The page of a response; nil if the response is not HTML.
  func page(of response: HTTPResponse) throws -> HeadlessPage? {
    guard response.pageType.contains("html") else { return nil }
    let document = try HTMLDocument(parsing: response.body, encoding: charset(response.pageType))
    return HeadlessPage(document, url: response.url, status: response.status, filled: filled)
  }

  func notAPage(_ response: HTTPResponse) -> UserAgentError {
    let code = aadb2cCode(in: response.text)
    // A sentence for people is worth more than the JSON around it.
    let said = (try? JSON(parsing: response.body, maximumDepth: 32))?["message"]?.string ?? response.text
    return UserAgentError(
      .pageFailed,
      "\(Address.shown(response.url)) answered with status \(response.status) and \(response.pageType), not with a page: \(excerpt(said, without: filled))",
      status: response.status, details: code.map { ["aadb2c_code": $0] } ?? [:])
  }

  private func charset(_ type: String) -> String? {
    guard let range = type.firstRange(of: "charset=") else { return nil }
    let name = type[range.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && !$0.isWhitespace }
    return name.isEmpty ? nil : name
  }
}

struct Step {
  var method: String
  var url: String
  var contentType: String?
  var body: [UInt8]?
  var origin: Origin?
  var referrer: String?

  static func get(_ url: String) -> Step { Step(method: "GET", url: url) }

  private init(method: String, url: String) {
    self.method = method
    self.url = url
  }

  init(_ submission: HeadlessPage.Submission, from page: String) {
    var fields = submission.form.submittedFields
    if let button = submission.button, let name = button.name, !name.isEmpty { fields.append((name, button.value)) }
    method = submission.form.method
    url = submission.action
    origin = Origin(page)
    if Origin(url) == origin {
      var referrer = WebAddress(page)
      referrer.fragment = nil
      self.referrer = referrer.text
    }
    if method == "GET" {
      // The fields take the place of the action's query (HTML, 4.10.21.3).
      url = "\(WebAddress(url).base)?\(URLEncodedForm.encode(fields))"
    } else if submission.form.isMultipart {
      let form = MultipartForm()
      (contentType, body) = (form.contentType, form.encode(fields.map { .init($0.0, $0.1) }))
    } else {
      (contentType, body) = ("application/x-www-form-urlencoded", Array(URLEncodedForm.encode(fields).utf8))
    }
  }

  func request(cookies: CookieJar, timeout: Double) -> HTTPRequest {
    var headers: HTTPHeaders = ["Accept": "text/html,application/xhtml+xml"]
    headers["Content-Type"] = contentType
    headers["Referer"] = referrer
    if method == "POST", let origin { headers["Origin"] = origin.serialized }
    return HTTPRequest(
      method: method, url: url, headers: headers, body: body, timeout: timeout, followsRedirects: false,
      cookies: cookies, maximumBodySize: 8 << 20)
  }

  func redirected(by response: HTTPResponse) throws(UserAgentError) -> Step? {
    guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else {
      return nil
    }
    guard let target = resolve(reference: location, against: url) else {
      throw UserAgentError(
        .pageFailed, "\(Address.shown(url)) redirects to something that is not an address", status: response.status)
    }
    var next = self
    next.url = target
    next.referrer = nil
    guard response.status == 307 || response.status == 308, method == "POST" else { return .get(target) }
    // The fields of a form, a password among them, go only where the page meant them to go.
    guard Origin(target) == Origin(url) else {
      throw UserAgentError(
        .unsafeRedirect,
        "\(Address.shown(url)) wants the submitted form sent on to another server, \(Address.shown(target))",
        hint: "sign in with another agent")
    }
    return next
  }
}

extension HTTPResponse {
  /// The media type, in lower case; a response without one counts as a page.
  var pageType: String { headers["Content-Type"]?.lowercased() ?? "text/html" }
}

extension Origin {
  /// As browsers send it: without the port that is usual.
  var serialized: String {
    let usual = scheme == "https" ? 443 : 80
    return Int(port) == usual ? "\(scheme)://\(host)" : description
  }
}
