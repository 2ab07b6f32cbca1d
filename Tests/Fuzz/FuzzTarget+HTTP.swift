import Core
import HostLoop
import Webhooks

@testable import HTTPClient
@testable import HTTPServer
@testable import OAuth
@testable import UserAgents

extension FuzzTarget {
  private static let redirectURI = "http://localhost:7777/signed-in"

  /// Redirects to the application, addresses in pages, and answers that a person pastes.
  static let redirects = FuzzTarget("redirects") { input in
    let text = input.text
    _ = resolve(reference: text, against: "https://login.example.com/a/b?c=d#e")
    _ = resolve(reference: "../x?y", against: text)
    _ = Origin(text)
    _ = URLEncodedForm.decode(text)
    let request = NavigationRequest(url: "https://login.example.com/authorize?state=s", redirectURI: redirectURI)
    _ = request.kind(of: text)
    let pasted = try? PastedAnswer(text, to: request).redirect
    for redirect in [text, "\(redirectURI)?\(text)", pasted].compactMap({ $0 }) {
      let parameters = try? AuthorizationResponse.parameters(of: redirect, expectedRedirectURI: redirectURI)
      let response = try? parameters.map {
        try AuthorizationResponse(parameters: $0, state: "s", issuer: "https://login.example.com")
      }
      guard let response else { continue }
      precondition(response.parameters["state"] == "s", "a redirect without the state: \(redirect)")
      precondition(WebAddress(redirect).path == "/signed-in", "a redirect to another address: \(redirect)")
    }
  }

  /// Answers in HTTP/1, as they arrive in a lane of an import. The first byte is the size of the pieces.
  static let answers = FuzzTarget("answers") { input in
    var input = input
    let size = max(1, Int(input.byte()))
    read(input.bytes, size)
  }

  /// Chunked bodies of answers.
  static let chunks = FuzzTarget("chunks") { input in
    var input = input
    let size = max(1, Int(input.byte()))
    read(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + input.bytes, size)
  }

  private static let maximumBody = 4096

  /// Reads an answer as a whole and in pieces, which must give the same.
  @HostActor private static func read(_ bytes: [UInt8], _ size: Int) {
    let whole = answer(bytes, max(1, bytes.count))
    let pieces = answer(bytes, size)
    guard let whole, let pieces else { return }
    precondition(whole.status == pieces.status && whole.body == pieces.body, "another answer in pieces")
    precondition(whole.headers == pieces.headers, "other header fields in pieces")
    precondition(whole.body.count <= maximumBody, "the body is longer than its limit")
  }

  @HostActor private static func answer(_ bytes: [UInt8], _ size: Int) -> HTTPResponse? {
    let reader = AnswerReader()
    reader.begin(maximumBodySize: maximumBody)
    var rest = bytes[...]
    var progress = AnswerReader.Progress.incomplete
    while progress == .incomplete {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      progress = piece.withUnsafeBytes { reader.take($0) }
      if piece.isEmpty { break }
    }
    guard progress == .complete else { return nil }
    _ = reader.keepsAlive
    let response = reader.response(from: "https://api.example.com/api/tasks")
    _ = (response.challenges, response.stepUp)
    _ = try? Redirect.request(after: response, to: HTTPRequest(url: response.url))
    return response
  }

  /// Fields and bodies of requests to a server: cookies, forms, framing.
  static let requests = FuzzTarget("requests") { input in
    var input = input
    let target = input.part().text
    let fields = input.fields()
    _ = Framing.refusal(of: fields, target: "/", version: "HTTP/1.1", isWhole: true)
    let request = ServerRequest(method: "POST", target: target, headers: fields, body: input.bytes)
    _ = (request.query, request.form, request.multipartForm, request.cookie("session"))
  }

  /// Webhooks of all schemes. The first byte selects the scheme; header fields and the body follow.
  static let webhooks = FuzzTarget("webhooks") { input in
    var input = input
    let scheme = WebhookScheme.allCases[Int(input.byte()) % WebhookScheme.allCases.count]
    let fields = input.fields()
    let check = try WebhookCheck(scheme, secret: Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nolder"))
    let ids = try check.check(fields, input.bytes, now: 1_800_000_000)
    precondition(scheme == .none || !ids.isEmpty, "a request without an ID")
  }
}
