import Conform
import Core
import HTTPClient
package import HostLoop
import JSON
import UserAgents

/// One try of one check: sends requests, and keeps them as evidence.
@HostActor
package final class Trial {
  let provider: ProviderUnderTest
  private(set) var evidence: [Evidence] = []
  /// All responses of the trial, in order.
  private(set) var answers: [Answer] = []
  let http: HTTPClient

  init(_ provider: ProviderUnderTest) {
    self.provider = provider
    let events = Events()
    http = HTTPClient(provider.options.http, events: events)
    events.handle(OutgoingRequest.self) { _, _ in try await provider.admit() }
    events.watch(RecordedExchange.self) { [weak self] exchange, _ in self?.note(exchange) }
  }

  private func note(_ exchange: RecordedExchange) {
    if case .success(let response) = exchange.result { answers.append(Answer(exchange.request, response)) }
    evidence.append(Evidence(exchange, line: provider.requests))
  }

  // MARK: Requests

  func send(_ request: HTTPRequest) async throws -> Answer {
    var request = request
    request.followsRedirects = false
    request.maximumBodySize = 4 << 20
    let isTokenRequest = request.method == "POST" && request.url == provider.string("token_endpoint")
    if provider.options.provesKeys, isTokenRequest, request.headers["DPoP"] == nil {
      request.headers["DPoP"] = try proof("POST", request.url)
    }
    do { return Answer(request, try await http.send(request)) } catch {
      throw EndOfProbe(.unclear("no answer: \(error.message)"))
    }
  }

  func get(_ url: String, _ headers: HTTPHeaders = [:]) async throws -> Answer {
    try await send(HTTPRequest(url: url, headers: headers))
  }

  /// Posts a form as the client, which authenticates by its method.
  func post(
    _ url: String, _ form: Fields, as client: ProviderClient?, _ headers: HTTPHeaders = [:]
  ) async throws -> Answer {
    var (form, headers) = (form, headers)
    if let client { try authenticate(client, &form, &headers, to: url) }
    if headers["Accept"] == nil { headers["Accept"] = "application/json" }
    return try await send(.form(url: url, fields: form.list, headers: headers))
  }

  // MARK: The provider

  /// The member of the metadata that is an address. The check ends if there is none.
  func endpoint(_ name: String) throws -> String {
    guard let url = provider.string(name) else { throw EndOfProbe(.notUsed("no \(name) in the metadata")) }
    return url
  }

  var client: ProviderClient {
    get throws {
      guard let client = provider.options.client else { throw EndOfProbe(.skipped("no client is given")) }
      return client
    }
  }

  var otherClient: ProviderClient {
    get throws {
      guard let client = provider.options.otherClient else { throw EndOfProbe(.skipped("no second client is given")) }
      return client
    }
  }

  /// A client that authenticates.
  var confidentialClient: ProviderClient {
    get throws {
      let all = [provider.options.client, provider.options.otherClient, provider.options.keyClient]
      guard let client = all.compactMap(\.self).first(where: \.isConfidential) else {
        throw EndOfProbe(.skipped("no client with a secret or a key is given"))
      }
      return client
    }
  }

  var secretClient: ProviderClient {
    get throws {
      let all = [provider.options.client, provider.options.otherClient].compactMap(\.self)
      guard let client = all.first(where: { $0.secret != nil }) else {
        throw EndOfProbe(.skipped("no client with a secret is given"))
      }
      return client
    }
  }

  var keyClient: ProviderClient {
    get throws {
      guard let client = provider.options.keyClient else { throw EndOfProbe(.skipped("no client with a key is given")) }
      return client
    }
  }

  var right: ProviderUnderTest.RightSignIn {
    get throws {
      guard let right = provider.right else { throw EndOfProbe(.skipped("there is no sign-in to look at")) }
      return right
    }
  }
}

extension Evidence {
  /// The most characters of a value and of a response.
  private static let length = 300

  init(_ exchange: RecordedExchange, line: Int) {
    let request = exchange.request
    let isForm = request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true
    let fields = isForm ? URLEncodedForm.decode(String(decoding: request.body ?? [], as: UTF8.self)) : []
    let shownHeaders = request.headers.fields.filter { !["Content-Type", "Accept"].contains($0.name) }
    let sent = shownHeaders.map { ($0.name, $0.value) } + fields
    let shown = sent.map { name, value in
      (name: name, value: Self.isSecret(name) ? Redaction.placeholder : Self.cut(value))
    }
    let name = "\(request.method) \(WebAddress(request.url).redacted)"
    switch exchange.result {
    case .success(let response):
      let json = (try? JSON(parsing: response.body, maximumDepth: 32))
      self.init(
        request: name, sent: shown, status: response.status, code: json?["error"]?.string,
        received: Self.received(response, json), line: line)
    case .failure(let error):
      self.init(request: name, sent: shown, status: nil, code: error.code, received: error.message, line: line)
    }
  }

  /// A proof of DPoP is good for a minute.
  private static func isSecret(_ name: String) -> Bool { SecretName.kind(name) != nil || name == "DPoP" }

  private static func received(_ response: HTTPResponse, _ json: JSON?) -> String {
    if let location = response.headers["Location"] { return "Location: \(cut(WebAddress(location).redacted))" }
    if let json { return cut(withoutSecrets(json).encoded()) }
    let type = response.headers["Content-Type"] ?? "no content type"
    return response.body.isEmpty ? "no body" : "\(type), \(response.body.count) bytes"
  }

  private static func withoutSecrets(_ json: JSON) -> JSON {
    guard let members = json.object else { return json }
    return .object(
      Dictionary(
        uniqueKeysWithValues: members.map { name, value in
          guard SecretName.kind(name) != nil, value.string != nil else { return (name, withoutSecrets(value)) }
          return (name, .string(Redaction.placeholder))
        }))
  }

  private static func cut(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.count <= length ? line : line.prefix(length - 1) + "…"
  }
}
