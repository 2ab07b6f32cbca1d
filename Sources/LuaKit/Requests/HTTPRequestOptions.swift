import Core
import FoundationEssentials
package import HTTPClient
package import HostLoop
package import Lua
package import Permissions

/// The options of a request: of `http.request`, and of `account:request`.
package struct HTTPRequestOptions: LuaOptions {
  private var method: String?
  private var url = ""
  private var headers: [(String, String)] = []
  private var query: [(String, String)] = []
  private var bodies = Bodies()
  private var timeout: Double?
  /// The account whose token is sent.
  package private(set) var account: LuaAccount?
  /// The value of `Authorization`.
  private var credentials: String?
  private var followsRedirects: Bool?
  /// The key of the proof, or true or false.
  package private(set) var dpop = LuaValue.nil
  private var raisesErrors: Bool?

  package init() {}

  /// True if a response with status 400 or more is an error.
  package var raises: Bool { raisesErrors ?? true }

  /// The body in its forms, of which one is given at most.
  fileprivate struct Bodies: Sendable {
    var form: [(String, String)]?
    var json: LuaValue?
    var bytes: LuaValue?
    var file: String?
    var multipart: LuaTable?

    var names: [String] {
      [
        ("form", form != nil), ("json", json != nil), ("body", bytes != nil), ("file", file != nil),
        ("multipart", multipart != nil),
      ].filter(\.1).map(\.0)
    }
  }

  package static let fields: [Field] = [
    .init("method", \.method, "The method. If not given: POST with a body, GET without a body."),
    .init("url", \.url, .string, isRequired: true, "An absolute URL.") {
      try $0.text(at: "\($1.arguments.function.name): the URL") ?? ""
    },
    .init("headers", \.headers, .map(of: .requestValue), "Header fields, by name.") {
      try fields($0, $1, most: HTTPHeaders.most)
    },
    .init("query", \.query, .map(of: .requestValue), "Query parameters to add to the URL, by name.") {
      try fields($0, $1)
    },
    .init(
      "form", \.bodies.form, .map(of: .requestValue),
      "The fields of the body, by name. The body has the type application/x-www-form-urlencoded."
    ) { try fields($0, $1) },
    .init("json", \.bodies.json, "The body as JSON."),
    .init("body", \.bodies.bytes, .string, "The bytes of the body."),
    .init("file", \.bodies.file, .string, "The path of a file with the body.") { value, _ in value.path },
    .init(
      "multipart", \.bodies.multipart, .map(of: .any),
      "The parts of the body, by name: strings, or { file = PATH }. The body has the type multipart/form-data."),
    .init(
      "timeout", \.timeout, .number, in: -0x1p53...1e6,
      "The time limit for the request and its response, in seconds; 30 if not given."
    ) { value, place in
      guard let seconds = value.number, seconds > 0 else {
        throw place.failure("expected seconds above zero, got \(value.number ?? 0)")
      }
      return seconds
    },
    .init("account", \.account, "Send this account's token."),
    .init(
      "auth", \.credentials, .record(.httpAuth),
      "Send a user name and a password (RFC 7617), or a token of a service (RFC 6750): { bearer = SECRET }."
    ) { try credentials($0, $1) },
    .init("redirects", \.followsRedirects, "false: return a redirect as it is."),
    .init(
      "dpop", \.dpop, .either([.boolean, .object("key")]),
      "A key of b2c.jose: send a proof (RFC 9449) for the token in the header field Authorization. true: the account must "
        + "have a key."
    ) { value, _ in value },
    .init("raise", \.raisesErrors, "false: return a response with status 400 or more instead of raising it."),
    ExchangeProgress.field(),
  ]

  /// The request of the options.
  /// - Parameters:
  ///   - method: the method of a function such as `http.post`.
  ///   - url: the argument of such a function.
  @HostActor package func request(
    _ arguments: Arguments, _ permissions: Permissions, _ json: JSONMarshal, method: String?, url: String?
  ) throws -> HTTPRequest {
    var request = HTTPRequest(url: url ?? self.url)
    for (name, value) in headers {
      // A front end of many hosts would pass the request, with the token, to the host in this header.
      guard name.lowercased() != "host" else {
        throw arguments.failure(
          option: "headers", "\(name) follows from the address and cannot be given", hint: "write the host into the URL"
        )
      }
      request.headers.append(name, value)
    }
    if !query.isEmpty { request.url = WebAddress(request.url).appending(URLEncodedForm.encode(query)) }
    let given = bodies.names
    guard given.count <= 1 else {
      throw arguments.failure("options '\(given.joined(separator: "' and '"))': expected only one body")
    }
    let (body, type) = try bodies.encoded(arguments, permissions, json)
    request.body = body
    if let type, request.headers["Content-Type"] == nil { request.headers["Content-Type"] = type }
    request.method = (method ?? self.method ?? (body == nil ? "GET" : "POST")).uppercased()
    request.followsRedirects = followsRedirects ?? true
    if let credentials {
      guard request.headers["Authorization"] == nil, account == nil else {
        throw arguments.failure(option: "auth", "expected only one of auth, account and the header Authorization")
      }
      request.headers["Authorization"] = credentials
    }
    if let timeout { request.timeout = timeout }
    return request
  }

  /// The value of `Authorization` that the option `auth` makes.
  @HostActor private static func credentials(_ value: LuaValue, _ place: OptionPlace) throws -> String? {
    guard let auth = value.table else { return nil }
    func text(_ name: String) -> String? { auth[name].asSecret?.reveal() }
    if let token = text("bearer") {
      guard auth["username"].isNil, auth["password"].isNil else {
        throw place.failure("expected either bearer, or username and password")
      }
      return "Bearer \(token)"
    }
    guard let username = auth["username"].string, let password = text("password") else {
      throw place.failure("expected { username =, password = } or { bearer = }")
    }
    guard !username.contains(":") else { throw place.failure("a user name with a colon cannot be sent") }
    return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
  }

  /// Strings and numbers by name, sorted, so that requests are the same each time. A list gives several fields.
  @HostActor package static func fields(
    _ value: LuaValue, _ place: OptionPlace, most: Int = .max
  ) throws -> [(String, String)] {
    var fields: [(String, String)] = []
    let meter = WorkMeter(place.arguments.state)
    let pairs = try (value.table?.pairs ?? []).map { (name: $0.key.string ?? "", pair: $0) }
    guard pairs.count <= most else {
      throw place.failure("expected at most \(most) fields, got \(pairs.count)")
    }
    for (_, pair) in pairs.sorted(by: { $0.name < $1.name }) {
      guard let name = try pair.key.text(at: "\(place.text): a name") else {
        throw place.failure("expected names, got a \(pair.key.typeName) as key")
      }
      if let table = pair.value.table, try table.pairs.contains(where: { $0.key.string != nil }) {
        throw place.failure("\(name): expected a string or a list, got a table with names")
      }
      let values = try pair.value.table?.elements ?? [pair.value]
      for value in values {
        // A byte may take three when it is sent, and the list of fields exists as well.
        if case .bytes(let bytes) = value { try meter.count(4 * bytes.count) } else { try meter.count(1 << 8) }
        switch value {
        case .bytes: fields.append((name, try value.text(at: "\(place.text): \(name)") ?? ""))
        case .integer, .number, .boolean: fields.append((name, place.arguments.state.rawText(of: value)))
        case .object(let object) where object is LuaSecret: fields.append((name, value.asSecret?.reveal() ?? ""))
        default: throw place.failure("\(name): expected a string, got \(value.typeName)")
        }
      }
    }
    return fields
  }
}

extension HTTPRequestOptions.Bodies {
  /// The bytes of the body and their type; nil without a body.
  @HostActor fileprivate func encoded(
    _ arguments: Arguments, _ permissions: Permissions, _ json: JSONMarshal
  ) throws -> (body: [UInt8]?, type: String?) {
    if let form {
      return (Array(URLEncodedForm.encode(form).utf8), "application/x-www-form-urlencoded")
    }
    if let value = self.json {
      return (try json.text(value, at: arguments.place(option: "json")), "application/json")
    }
    if case .bytes(let bytes)? = bytes { return (bytes, nil) }
    if let file { return (try permissions.body(file, arguments), nil) }
    if let multipart { return try Self.multipart(multipart, arguments, permissions) }
    return (nil, nil)
  }

  /// A multipart/form-data body (RFC 7578) from the option `multipart`, and its content type.
  @HostActor fileprivate static func multipart(
    _ table: LuaTable, _ arguments: Arguments, _ permissions: Permissions
  ) throws -> (body: [UInt8]?, type: String?) {
    let form = MultipartForm()
    var parts: [MultipartForm.Part] = []
    let meter = WorkMeter(arguments.state)
    for pair in try table.pairs.sorted(by: {
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
