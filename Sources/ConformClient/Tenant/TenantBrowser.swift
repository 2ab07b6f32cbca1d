import Core
import HTTPClient
import HTTPServer
import HostLoop
import LocalTenant
import Markup

/// The browser of the user: it follows redirects, signs the user in at the tenant, and brings the answer to the program.
@HostActor
final class TenantBrowser {
  /// The page where a way through the browser ended.
  struct Page: Sendable {
    let url: String
    let status: Int
    let text: String
  }

  struct Problem: Error { let text: String }

  private static let mostSteps = 30

  private let http: HTTPClient
  private let cookies = CookieJar()
  private let origins: [String]
  private let userCode: @Sendable () -> String?
  private let asksBefore: @Sendable (String) -> [String]
  /// The addresses outside of the tenant that the browser has asked, without their queries.
  private(set) var visited: [String] = []
  /// The time of the last request to the program.
  private(set) var deliveryTime: Double?

  /// - Parameters:
  ///   - userCode: gives the user code of a device, for the page that asks for it.
  ///   - asksBefore: gives the addresses that the browser asks before it brings an answer to the program.
  init(
    _ http: HTTPClient, tenant: String, userCode: @escaping @Sendable () -> String?,
    asksBefore: @escaping @Sendable (String) -> [String]
  ) {
    self.asksBefore = asksBefore
    self.http = http
    origins = [tenant, tenant.replacing("127.0.0.1", with: "localhost")]
    self.userCode = userCode
  }

  /// Opens an address, and goes on until a page is not the tenant's.
  func open(_ url: String, timeout: Double) async throws -> Page {
    var request = Self.get(url)
    for _ in 0..<Self.mostSteps {
      guard let origin = Origin(request.url), origin.isLoopback else {
        throw Problem(text: "the browser was sent to \(WebAddress(request.url).base), which is not on this machine")
      }
      if !isTenant(request.url) {
        if WebAddress(request.url).field("state") != nil || WebAddress(request.url).field("code") != nil {
          await ask(asksBefore(request.url))
        }
        visited.append(WebAddress(request.url).base)
        deliveryTime = HostLoop.uptime
      }
      request.timeout = timeout
      request.cookies = cookies
      let response = try await http.send(request)
      if !isTenant(request.url) { deliveryTime = HostLoop.uptime }
      if [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"],
        let next = resolve(reference: location, against: response.url)
      {
        request = Self.get(next)
        continue
      }
      guard isTenant(response.url), let next = try submission(response) else {
        return Page(url: response.url, status: response.status, text: Self.text(response))
      }
      request = next
    }
    throw Problem(
      text: "the browser was sent on more than \(Self.mostSteps) times, last to \(WebAddress(request.url).base)")
  }

  /// Asks addresses of the program, whatever it answers.
  private func ask(_ urls: [String]) async {
    for url in urls {
      var request = Self.get(url)
      request.timeout = 2
      // A program may close the connection of a request that it did not expect.
      _ = try? await http.send(request)
    }
  }

  private func isTenant(_ url: String) -> Bool { origins.contains { url == $0 || url.hasPrefix("\($0)/") } }

  private static func get(_ url: String) -> HTTPRequest {
    HTTPRequest(url: url, headers: ["Accept": "text/html,application/xhtml+xml"], followsRedirects: false)
  }

  /// The submission of the form of a tenant's page; nil for a page without one.
  private func submission(_ response: HTTPResponse) throws -> HTTPRequest? {
    guard response.headers["Content-Type"]?.contains("html") == true else { return nil }
    let document = try HTMLDocument(parsing: response.body, encoding: "utf-8")
    guard var form = document.forms.first, document.alerts.isEmpty else { return nil }
    let user = LocalTenant.seededUsers[0]
    for index in form.fields.indices {
      switch form.fields[index].name {
      case "logonIdentifier": form.fields[index].value = user.username
      case "password": form.fields[index].value = user.password
      case "user_code": form.fields[index].value = userCode() ?? form.fields[index].value
      default: break
      }
    }
    let button = form.buttons.first { $0.submits && $0.name != nil }.map { [($0.name ?? "", $0.value)] } ?? []
    guard let target = resolve(reference: form.action ?? response.url, against: response.url) else { return nil }
    var request = HTTPRequest.form(url: target, fields: form.submittedFields + button)
    request.followsRedirects = false
    return request
  }

  private static func text(_ response: HTTPResponse) -> String {
    guard response.headers["Content-Type"]?.contains("html") == true,
      let document = try? HTMLDocument(parsing: response.body, encoding: "utf-8")
    else { return response.text }
    return "\(document.title)\n\(document.text)"
  }
}
