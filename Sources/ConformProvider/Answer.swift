import Conform
import Core
import HTTPClient
import JSON

/// A response of the provider.
struct Answer: Sendable {
  let method: String
  let url: String
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]

  init(_ request: HTTPRequest, _ response: HTTPResponse) {
    method = request.method
    url = request.url
    status = response.status
    headers = response.headers
    body = response.body
  }

  var json: JSON? { try? JSON(parsing: body, maximumDepth: 32) }
  var text: String { String(decoding: body.prefix(256 << 10), as: UTF8.self) }
  /// The error code of RFC 6749; nil without one.
  var error: String? { json?["error"]?.string }
  var isSuccess: Bool { (200..<300).contains(status) }
  subscript(_ name: String) -> JSON? { json?[name] }
  func string(_ name: String) -> String? { json?[name]?.string }

  /// `400 invalid_grant`
  var shown: String { "\(status)\(error.map { " \($0)" } ?? "")" }
  /// The content type without parameters, in lower case.
  var mediaType: String {
    (headers["Content-Type"] ?? "").prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
  }

  /// The directives of `Cache-Control`, in lower case.
  var cacheControl: Set<String> {
    Set(headers.all("Cache-Control").flatMap { $0.split(separator: ",") }.map { $0.lowercased().filter { $0 != " " } })
  }

  // MARK: Findings

  /// The finding of a request that the provider has to refuse, with the code of the standard if there is one.
  func refused(_ codes: String...) -> Finding {
    if isSuccess { return .broken("the provider accepted it: \(status)") }
    if let unclear { return unclear }
    guard codes.isEmpty || error.map(codes.contains) == true else {
      return .broken("\(shown), where the standard names \(codes.joined(separator: " or "))")
    }
    return .kept(shown)
  }

  /// The finding of a request that the provider has to accept.
  func accepted() -> Finding {
    if let unclear { return unclear }
    return isSuccess ? .kept("\(status)") : .broken("the provider refused it: \(shown)")
  }

  /// A response that says nothing about the rule.
  var unclear: Finding? {
    guard status >= 500 || status == 429 else { return nil }
    return .unclear("the provider answered \(shown)")
  }

  /// Ends the probe unless the request succeeded: the check needs its result.
  @discardableResult
  func needed(_ purpose: String) throws -> Answer {
    guard isSuccess else { throw EndOfProbe(.unclear("\(purpose) was refused: \(shown)")) }
    return self
  }
}

/// The end of a trip through the pages of the provider.
struct Landing: Sendable {
  /// The address of the redirect; nil if the trip ended at a page.
  let url: String?
  /// The status of the last response.
  let status: Int
  /// The beginning of the last page.
  let said: String
  /// The response with the redirect, or the last page.
  let last: Answer?
  /// The error of the endpoint for pushed requests, if the trip ended there.
  var refusal: String?

  /// The parameters of the redirect, of the query or of the fragment.
  var fields: [(name: String, value: String)] {
    (url.map { WebAddress($0).parameters } ?? []).map { ($0.name, $0.value ?? "") }
  }
  subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  var code: String? { self["code"] }
  var error: String? { self["error"] ?? refusal }
  var hasResult: Bool { ["code", "access_token", "id_token", "response"].contains { self[$0] != nil } }

  var shown: String {
    guard url != nil else { return "a page with status \(status): \(said)" }
    return error.map { "a redirect with error=\($0)" }
      ?? "a redirect with \(fields.map(\.name).filter { $0 != "state" }.joined(separator: ", "))"
  }

  /// The finding of a request that the provider has to refuse, by a page or by a redirect.
  func refused(_ codes: String...) -> Finding {
    if hasResult { return .broken("the provider accepted it: \(shown)") }
    if let error {
      if ["server_error", "temporarily_unavailable"].contains(error) { return .unclear(shown) }
      return codes.isEmpty || codes.contains(error)
        ? .kept(shown) : .broken("error=\(error), where the standard names \(codes.joined(separator: " or "))")
    }
    guard url == nil else { return .unclear(shown) }
    return (400..<500).contains(status) && status != 429 ? .kept(shown) : .unclear(shown)
  }

  /// The finding of a request that the provider has to answer on a page of its own, without a redirect.
  func refusedOnPage() -> Finding {
    guard url == nil else { return .broken("the provider redirected: \(shown)") }
    return (400..<500).contains(status) && status != 429 ? .kept(shown) : .unclear(shown)
  }

  func accepted() -> Finding {
    if hasResult { return .kept(shown) }
    return status >= 500 || status == 429 ? .unclear(shown) : .broken("the provider refused it: \(shown)")
  }
}
