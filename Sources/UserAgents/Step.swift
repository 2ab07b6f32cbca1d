import Core
import HTTPClient
import Markup

/// One request of a trip: a page to get, or a form to submit.
struct Step {
  var method: String
  var url: String
  var contentType: String?
  var body: [UInt8]?
  /// The page it starts from.
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

  /// The step that a response redirects to; nil when it is no redirect.
  func redirected(by response: HTTPResponse) throws(UserAgentError) -> Step? {
    guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else {
      return nil
    }
    guard let target = resolve(reference: location, against: url) else {
      throw UserAgentError(
        .pageFailed, "\(Address.shown(url)) redirects to something that is no address", status: response.status)
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

extension Origin {
  /// As browsers send it: without the port that is usual.
  var serialized: String {
    let usual = scheme == "https" ? 443 : 80
    return Int(port) == usual ? "\(scheme)://\(host)" : description
  }
}
