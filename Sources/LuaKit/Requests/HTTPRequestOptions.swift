import Core
import FoundationEssentials
package import HTTPClient
package import HostLoop
package import Lua
package import Permissions

/// The options of a request: of `http.request`, and of `account:request`.
@HostActor
package struct HTTPRequestOptions {
  package var request: HTTPRequest
  package let account: LuaAccount?
  package let raises: Bool

  /// The declaration of the options.
  package nonisolated static let keys: [Parameter] = [
    .optional("method", .string, "The method. If not given: POST with a body, GET without a body."),
    Parameter("url", .string, "An absolute URL."),
    .optional("headers", .map(of: .requestValue), "Header fields, by name."),
    .optional("query", .map(of: .requestValue), "Query parameters to add to the URL, by name."),
    .optional(
      "form", .map(of: .requestValue),
      "The fields of the body, by name. The body has the type application/x-www-form-urlencoded."),
    .optional("json", .any, "The body as JSON."), .optional("body", .string, "The bytes of the body."),
    .optional("file", .string, "The path of a file with the body."),
    .optional(
      "multipart", .map(of: .any),
      "The parts of the body, by name: strings, or { file = PATH }. The body has the type multipart/form-data."),
    .optional(
      "timeout", .number, in: -0x1p53...1e6,
      "The time limit for the request and its response, in seconds; 30 if not given."),
    .optional("account", .object("account"), "Send this account's token."),
    .optional(
      "auth", .record(.httpAuth),
      "Send a user name and a password (RFC 7617), or a token of a service (RFC 6750): { bearer = SECRET }."),
    .optional("redirects", .boolean, "false: return a redirect as it is."),
    .dpop(
      "A key of b2c.jose: send a proof (RFC 9449) for the token in the header field Authorization. true: the account must "
        + "have a key."),
    .optional("raise", .boolean, "false: return a response with status 400 or more instead of raising it."),
    ExchangeProgress.option,
  ]

  package init(_ arguments: Arguments, _ permissions: Permissions, _ json: JSONMarshal, method: String?, url: String?)
    throws
  {
    for address in [arguments[0], arguments["url"]] { _ = try address.text(at: "\(arguments.function.name): the URL") }
    var request = HTTPRequest(url: url ?? arguments["url"].string ?? "")
    account = arguments["account"].object(LuaAccount.self)
    raises = arguments["raise"].boolean ?? true
    for (name, value) in try Self.fields(arguments, "headers", most: HTTPHeaders.most) {
      // A front end of many hosts would pass the request, with the token, to the host in this header.
      guard name.lowercased() != "host" else {
        throw arguments.failure(
          option: "headers", "\(name) follows from the address and cannot be given", hint: "write the host into the URL"
        )
      }
      request.headers.append(name, value)
    }
    let query = try Self.fields(arguments, "query")
    if !query.isEmpty { request.url = WebAddress(request.url).appending(URLEncodedForm.encode(query)) }
    let bodies = ["form", "json", "body", "file", "multipart"].filter { !arguments[$0].isNil }
    guard bodies.count <= 1 else {
      throw arguments.failure("options '\(bodies.joined(separator: "' and '"))': expected only one body")
    }
    var type: String?
    switch bodies.first {
    case "form":
      request.body = Array(URLEncodedForm.encode(try Self.fields(arguments, "form")).utf8)
      type = "application/x-www-form-urlencoded"
    case "json":
      request.body = try json.text(arguments["json"], at: arguments.place(option: "json"))
      type = "application/json"
    case "body": if case .bytes(let bytes) = arguments["body"] { request.body = bytes }
    case "file": request.body = try permissions.body(arguments["file"].path ?? "", arguments)
    case "multipart": (request.body, type) = try Self.multipart(arguments, permissions)
    default: break
    }
    if let type, request.headers["Content-Type"] == nil { request.headers["Content-Type"] = type }
    request.method = (method ?? arguments["method"].string ?? (request.body == nil ? "GET" : "POST")).uppercased()
    request.followsRedirects = arguments["redirects"].boolean ?? true
    if let credentials = try Self.credentials(arguments) {
      guard request.headers["Authorization"] == nil, account == nil else {
        throw arguments.failure(option: "auth", "expected only one of auth, account and the header Authorization")
      }
      request.headers["Authorization"] = credentials
    }
    if let seconds = arguments["timeout"].number {
      guard seconds > 0 else {
        throw arguments.failure(option: "timeout", "expected seconds above zero, got \(seconds)")
      }
      request.timeout = seconds
    }
    self.request = request
  }

  /// The value of `Authorization` that the option `auth` makes.
  private static func credentials(_ arguments: Arguments) throws -> String? {
    guard let auth = arguments["auth"].table else { return nil }
    func text(_ name: String) -> String? { auth[name].asSecret?.reveal() }
    if let token = text("bearer") {
      guard auth["username"].isNil, auth["password"].isNil else {
        throw arguments.failure(option: "auth", "expected either bearer, or username and password")
      }
      return "Bearer \(token)"
    }
    guard let username = auth["username"].string, let password = text("password") else {
      throw arguments.failure(option: "auth", "expected { username =, password = } or { bearer = }")
    }
    guard !username.contains(":") else {
      throw arguments.failure(option: "auth", "a user name with a colon cannot be sent")
    }
    return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
  }

  /// Strings and numbers by name, sorted, so that requests are the same each time. A list gives several fields.
  package static func fields(
    _ arguments: Arguments, _ option: String, most: Int = .max
  ) throws -> [(String, String)] {
    var fields: [(String, String)] = []
    let meter = WorkMeter(arguments.state)
    let pairs = try (arguments[option].table?.pairs ?? []).map { (name: $0.key.string ?? "", pair: $0) }
    guard pairs.count <= most else {
      throw arguments.failure(option: option, "expected at most \(most) fields, got \(pairs.count)")
    }
    for (_, pair) in pairs.sorted(by: { $0.name < $1.name }) {
      let place = "\(arguments.function.name): option '\(option)'"
      guard let name = try pair.key.text(at: "\(place): a name") else {
        throw arguments.failure(option: option, "expected names, got a \(pair.key.typeName) as key")
      }
      if let table = pair.value.table, try table.pairs.contains(where: { $0.key.string != nil }) {
        throw arguments.failure(option: option, "\(name): expected a string or a list, got a table with names")
      }
      let values = try pair.value.table?.elements ?? [pair.value]
      for value in values {
        // A byte may take three when it is sent, and the list of fields exists as well.
        if case .bytes(let bytes) = value { try meter.count(4 * bytes.count) } else { try meter.count(1 << 8) }
        switch value {
        case .bytes: fields.append((name, try value.text(at: "\(place): \(name)") ?? ""))
        case .integer, .number, .boolean: fields.append((name, arguments.state.rawText(of: value)))
        case .object(let object) where object is LuaSecret: fields.append((name, value.asSecret?.reveal() ?? ""))
        default: throw arguments.failure(option: option, "\(name): expected a string, got \(value.typeName)")
        }
      }
    }
    return fields
  }

  /// A multipart/form-data body (RFC 7578) from the option `multipart`, and its content type.
  private static func multipart(
    _ arguments: Arguments, _ permissions: Permissions
  ) throws -> (body: [UInt8], contentType: String) {
    let form = MultipartForm()
    var parts: [MultipartForm.Part] = []
    let meter = WorkMeter(arguments.state)
    for pair in try (arguments["multipart"].table?.pairs ?? []).sorted(by: {
      ($0.key.string ?? "") < ($1.key.string ?? "")
    }
    ) {
      guard let name = pair.key.string else {
        throw arguments.failure(option: "multipart", "expected names, got a \(pair.key.typeName) as key")
      }
      let expected = "option 'multipart': \(name): expected a string or { file = PATH }"
      switch pair.value {
      case .table(let part):
        guard let path = part["file"].path else { throw arguments.failure("\(expected), got a table without file") }
        let type = part["type"].string ?? "application/octet-stream"
        try meter.count(1 << 10)
        guard type.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value < 0x7f }) else {
          throw arguments.failure(option: "multipart", "\(name): expected a media type as 'type', such as text/csv")
        }
        parts.append(
          .init(
            name, try permissions.body(path, arguments),
            filename: part["filename"].string ?? path.split(separator: "/").last.map(String.init) ?? "", type: type))
      case .bytes(let bytes):
        // The part, and the body with all parts.
        try meter.count(2 * bytes.count)
        parts.append(.init(name, bytes))
      case .integer, .number, .boolean: parts.append(.init(name, arguments.state.rawText(of: pair.value)))
      default:
        guard let secret = pair.value.asSecret else {
          throw arguments.failure("\(expected), got \(pair.value.typeName)")
        }
        parts.append(.init(name, secret.reveal()))
      }
    }
    return (form.encode(parts), form.contentType)
  }
}

extension LuaRecord {
  static let httpAuth = LuaRecord(
    "request credentials", "The credentials of a request.",
    .optional("username", .string, "The user name."), .optional("password", .secret, "The password."),
    .optional("bearer", .secret, "The token."))
}
