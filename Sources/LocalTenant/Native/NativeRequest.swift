import HTTPServer
import JSON

/// A request of native authentication: a form from a public client.
struct NativeRequest {
  let form: Parameters
  let client: Application
  let address: PolicyAddress

  /// The same request for the checks and tokens that all grants share.
  var clientRequest: ClientRequest { ClientRequest(form: form, client: client, address: address) }

  init(_ request: ServerRequest, _ address: PolicyAddress) throws {
    guard request.method == "POST" else {
      throw NativeError(
        "invalid_request", nil, "The endpoint takes POST, not \(request.method).", status: 405)
    }
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw NativeError("invalid_request", nil, "The Content-Type must be application/x-www-form-urlencoded.")
    }
    form = Parameters(request.form)
    try form.checkRepetitions()
    self.address = address
    guard let id = form["client_id"] else { throw NativeError.missing("client_id") }
    guard let client = Contoso.application(id) else {
      throw NativeError(
        "unauthorized_client", 700_016,
        "Application with identifier '\(id)' was not found in the directory '\(Contoso.domain)'.")
    }
    guard client.secret == nil else {
      throw NativeError(
        "invalid_client", nil, "The application is not enabled for native authentication.",
        suberror: "nativeauthapi_disabled")
    }
    self.client = client
  }

  func required(_ name: String) throws(NativeError) -> String {
    guard let value = form[name] else { throw .missing(name) }
    return value
  }

  /// The methods that the client can ask for.
  func challengeTypes() throws(NativeError) -> Set<String> {
    let types = Set(try required("challenge_type").split(separator: " ").map(String.init))
    if let unknown = types.subtracting(["oob", "password", "redirect"]).min() {
      throw NativeError("invalid_request", nil, "The challenge type '\(unknown)' is not supported.")
    }
    guard types.contains("redirect") else {
      throw NativeError(
        "unsupported_challenge_type", 901_007,
        "The challenge_type list parameter does not include the 'redirect' type.")
    }
    return types
  }

  /// The attributes of a new user: a JSON object in one parameter. Attributes that the directory does not have are
  /// ignored.
  /// - Parameter patterns: the patterns of the required attributes, by name.
  func attributes(_ patterns: [String: String]) throws(NativeError) -> [String: String] {
    guard let text = form["attributes"] else { return [:] }
    guard let members = (try? JSON(parsing: text))?.object else {
      throw NativeError("invalid_request", nil, "The parameter 'attributes' is not a JSON object.")
    }
    var values: [String: String] = [:]
    var invalid: [String] = []
    for (name, value) in members where Self.isKnown(name) || patterns[name] != nil {
      let text = value.string ?? value.encoded()
      let pattern = (try? Regex(patterns[name] ?? "")) ?? Regex(verbatim: "")
      if text.trimmingSpaces.isEmpty || text.utf8.count > 1024 || text.firstMatch(of: pattern) == nil {
        invalid.append(name)
      } else {
        values[name] = text
      }
    }
    guard invalid.isEmpty else {
      throw NativeError(
        "invalid_grant", nil, "User attribute validation failed.", suberror: "attribute_validation_failed",
        members: ["invalid_attributes": .array(invalid.sorted().map { ["name": .string($0)] })])
    }
    return values
  }

  private static let builtIn: Set = [
    "city", "country", "displayName", "givenName", "jobTitle", "postalCode", "state", "streetAddress", "surname",
  ]

  private static func isKnown(_ name: String) -> Bool { builtIn.contains(name) || name.hasPrefix("extension_") }
}
