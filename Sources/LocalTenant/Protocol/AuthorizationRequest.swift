import Core
import Crypto
import HTTPServer
import JSON
import TenantTexts

/// A request to the authorization endpoint whose client and redirect URI have been checked, so that errors may be sent
/// to the redirect URI (RFC 6749 §4.1.2.1).
struct AuthorizationRequest {
  enum ResponseMode: String {
    case query, fragment
    case formPost = "form_post"

    /// The mode of a name, which may end with `.jwt` for a signed answer; nil for `jwt` alone, the default mode.
    init?(name: String) {
      self.init(rawValue: name.hasSuffix(".jwt") ? String(name.dropLast(".jwt".count)) : name)
    }
  }

  static let promptValues = ["none", "login", "select_account", "consent"]

  let address: PolicyAddress
  /// The value of `iss` in the answer (RFC 9207).
  let issuer: String
  let client: Application
  let redirectURI: String
  let responseType: Set<String>
  /// The requested response mode if it is allowed, else the default.
  let responseMode: ResponseMode
  /// True if the answer is a signed JWT (JARM).
  let isSigned: Bool
  let state: String?
  let parameters: Parameters
  let texts: Texts
  /// The `request_uri` of a pushed request.
  var pushedURI: String?
  /// The reason why the request object beside these parameters is refused.
  var refusal: ProtocolError?
  /// The faults of the answer.
  var signedFault: SignedAnswerFault?
  var issuerFault: IssuerFault?

  /// - Throws: an error to show on a page, because the redirect URI cannot be trusted.
  init(
    _ parameters: Parameters, _ request: ServerRequest, _ address: PolicyAddress, _ clients: ClientRegistry,
    issuer: String
  ) throws(ProtocolError) {
    self.parameters = parameters
    texts = Texts(request, locales: parameters["ui_locales"] ?? "")
    for name in ["client_id", "redirect_uri"] where parameters.repeated.contains(name) {
      try parameters.checkRepetitions()
    }
    client = try Self.client(parameters["client_id"], clients)
    redirectURI = try Self.redirectURI(parameters.required("redirect_uri"), client)
    self.address = address
    self.issuer = issuer
    state = parameters.repeated.contains("state") ? nil : parameters["state"]
    responseType = Set(parameters.words("response_type"))
    let isCodeAlone = responseType.isDisjoint(with: ["token", "id_token"])
    let name = parameters["response_mode"]
    isSigned = name == "jwt" || name?.hasSuffix(".jwt") == true
    let mode = name.flatMap(ResponseMode.init(name:))
    // Tokens must not be in a query, because queries are written to logs (OAuth 2.0 Multiple Response Types §5).
    responseMode = (isCodeAlone || mode != .query ? mode : nil) ?? (isCodeAlone ? .query : .fragment)
  }

  private static func client(_ id: String?, _ clients: ClientRegistry) throws(ProtocolError) -> Application {
    guard let id else { throw ProtocolError(90008) }
    if let client = clients.application(id) { return client }
    // An API is an application of the directory too, but has no redirect URI.
    throw id.lowercased() == Contoso.tasksAPI ? ProtocolError(90007, id) : .unknownClient(id)
  }

  private static func redirectURI(_ uri: String, _ client: Application) throws(ProtocolError) -> String {
    // RFC 6749 §3.1.2: absolute, without a fragment.
    guard StrictURI.isWellFormed(uri) else { throw ProtocolError(90287, uri) }
    guard client.allows(redirectURI: uri) else { throw ProtocolError(90006, uri, client.id) }
    return uri
  }

  var nonce: String? { parameters["nonce"] }
  var wantsCode: Bool { responseType.contains("code") }
  var wantsIDToken: Bool { responseType.contains("id_token") }
  /// True if the answer itself has an access token. A code gives one at the token endpoint.
  var wantsAccessToken: Bool { responseType.contains("token") }
  var prompts: [String] { parameters.words("prompt") }
  var loginHint: String? { parameters["login_hint"] }
  var wantsSecondFactor: Bool { parameters.words("acr_values").contains(TokenIssuer.secondFactorClass) }
  /// The maximum number of seconds since the user last typed a password.
  var maximumAge: Int? { parameters["max_age"].flatMap { Int($0) } }

  /// The authorization details (RFC 9396); nil without any.
  func details() throws(ProtocolError) -> RichDetails? {
    try RichDetails(parameters["authorization_details"], origin: address.origin)
  }

  var challenge: CodeChallenge? {
    parameters["code_challenge"].map {
      CodeChallenge(value: $0, method: parameters["code_challenge_method"] ?? "plain")
    }
  }

  // MARK: Checks

  /// Called when the other parameters have been checked. Errors go to the redirect URI.
  /// - Parameter isBeingPushed: true at the endpoint for pushed requests.
  @discardableResult
  func validate(_ behavior: TenantBehavior, isBeingPushed: Bool = false) throws(ProtocolError) -> Scope {
    if let refusal { throw refusal }
    try parameters.checkRepetitions()
    guard address.policy.kind != .ropc else {
      throw ProtocolError(
        90013,
        text: "The requested response type '\(parameters["response_type"] ?? "")' provided in the request is not "
          + "supported: the policy '\(address.policyID)' has no pages, and takes the grant_type 'password' at its token "
          + "endpoint.")
    }
    try checkResponse(behavior)
    if behavior.requirements.contains(.par), pushedURI == nil, !isBeingPushed {
      throw ProtocolError(
        "invalid_request", "The authorization request must be pushed first, to the endpoint for pushed requests.")
    }
    try behavior.profile?.check(self)
    if behavior.requirements.contains(.requestObject), !parameters.isObject {
      throw ProtocolError("invalid_request", "The authorization request must be a signed request object.")
    }
    guard parameters["request_uri"] == nil else {
      throw ProtocolError(
        "request_uri_not_supported", "The parameter 'request_uri' is supported for pushed requests only.")
    }
    let scope = try Scope(parameters["scope"] ?? "", client: client)
    guard scope.hasOpenID || !wantsIDToken else { throw ProtocolError(90110) }
    let resources = try RequestedResources(parameters.resources, scope, origin: address.origin)
    let namesAPI = try scope.audience(details()) != nil || !resources.uris.isEmpty
    guard namesAPI || !wantsAccessToken else { throw .noResource(scope.text) }
    guard namesAPI || scope.hasOpenID else { throw ProtocolError(90115) }
    guard nonce != nil || !wantsIDToken else { throw .missing("nonce") }
    try checkChallenge(behavior)
    try checkPrompt()
    return scope
  }

  private func checkResponse(_ behavior: TenantBehavior) throws(ProtocolError) {
    let type = try parameters.required("response_type")
    guard !responseType.isEmpty, parameters.words("response_type").count == responseType.count,
      responseType.isSubset(of: ["code", "id_token", "token"])
    else { throw ProtocolError(90013, type) }
    if behavior.requirements.contains(.jarm), !isSigned {
      throw ProtocolError("invalid_request", "The request must ask for a signed response, with response_mode=jwt.")
    }
    if let mode = parameters["response_mode"], mode != "jwt", ResponseMode(name: mode) != responseMode {
      throw ProtocolError(90014, mode)
    }
    if responseType != ["code"], behavior.applicationsWithoutImplicit.contains(client.id) { throw ProtocolError(90057) }
  }

  private func checkChallenge(_ behavior: TenantBehavior) throws(ProtocolError) {
    guard let challenge else {
      guard parameters["code_challenge_method"] == nil else { throw .missing("code_challenge") }
      guard !wantsCode || !behavior.requiresPKCE else { throw ProtocolError(99059) }
      return
    }
    guard CodeChallenge.methods.contains(challenge.method) else { throw ProtocolError(90184, challenge.method) }
    guard CodeChallenge.isWellFormed(challenge.value) else {
      throw ProtocolError(
        90183,
        text: "The supplied code_challenge is invalid: it must have 43 to 128 characters of A-Z, a-z, 0-9, '-', '.', "
          + "'_', '~'.", error: "invalid_request")
    }
  }

  private func checkPrompt() throws(ProtocolError) {
    guard Set(prompts).isSubset(of: Self.promptValues) else { throw ProtocolError(90043) }
    guard prompts.count == 1 || !prompts.contains("none") else {
      throw ProtocolError(
        "invalid_request", "The prompt 'none' cannot be combined with another: '\(parameters["prompt"] ?? "")'.")
    }
    if let age = parameters["max_age"], !(0...Int(Int32.max) ~= (Int(age) ?? -1)) { throw ProtocolError(90120, age) }
  }
}

/// Proof Key for Code Exchange (RFC 7636).
struct CodeChallenge {
  static let methods: Set = ["S256", "plain"]

  let value: String
  let method: String

  func matches(_ verifier: String) -> Bool {
    value == (method == "S256" ? Base64URL.encode(SHA256.hash(verifier.utf8)) : verifier)
  }

  /// Checks the syntax, which is the same for verifiers and challenges (§4.1, §4.2).
  static func isWellFormed(_ text: String) -> Bool {
    // Both consist of the unreserved characters of RFC 3986, which need no encoding.
    (43...128).contains(text.utf8.count) && URLEncodedForm.percentEncode(text) == text
  }
}
