import Core
import HostLoop
import JSON
import Lua
import OAuth

extension AuthorizationRequest {
  /// The options of `oauth.authorize_url`.
  static let keys: [Parameter] = [
    OAuthModule.policyParameter,
    Parameter(
      "redirect_uri", .string, optional: true,
      "The redirect URI. If not given: in a flow, the redirect URI of the sign-in; else the setting."),
    Parameter("scopes", .words, optional: true, "The requested scopes; the scopes of the settings if not given."),
    Parameter("state", .string, optional: true, "A value that the provider returns in the redirect."),
    Parameter("nonce", .string, optional: true, "A value that the provider returns in the ID token."),
    Parameter("pkce", .record(.pkce), optional: true, "The result of oauth.pkce()."),
    Parameter("response_type", .string, optional: true, "The response type; code if not given."),
    Parameter("response_mode", .string, optional: true, "query, fragment or form_post."),
    Parameter("prompt", .string, optional: true, "none, login, consent or select_account."),
    Parameter("login_hint", .string, optional: true, "The user name that the provider suggests."),
    Parameter("domain_hint", .string, optional: true, "The identity provider where the user signs in."),
    Parameter("ui_locales", .string, optional: true, "The languages of the pages, separated by spaces."),
    Parameter("id_token_hint", .secret, optional: true, "The ID token of an earlier sign-in."),
    Parameter("max_age", .integer, optional: true, "The maximum seconds since the user entered a password."),
    Parameter("acr_values", .string, optional: true, "The required methods of sign-in, with the provider's names."),
    Parameter("parameters", .map(of: .requestValue), optional: true, "Further parameters, by name."),
  ]

  @HostActor init(_ arguments: Arguments) throws {
    self.init()
    redirectURI = arguments["redirect_uri"].string
    scopes = try arguments.words(arguments["scopes"], "option 'scopes'")
    state = arguments["state"].string
    nonce = arguments["nonce"].string
    if let table = arguments["pkce"].table {
      guard let verifier = table["verifier"].string else {
        throw arguments.failure(option: "pkce", "expected the result of oauth.pkce()")
      }
      pkce = PKCE(verifier: verifier, method: table["method"].string.flatMap(PKCE.Method.init) ?? .s256)
    }
    responseType = arguments["response_type"].string ?? responseType
    responseMode = arguments["response_mode"].string
    prompt = arguments["prompt"].string
    loginHint = arguments["login_hint"].string
    domainHint = arguments["domain_hint"].string
    uiLocales = arguments["ui_locales"].string
    idTokenHint = arguments["id_token_hint"].asSecret?.reveal()
    maxAge = arguments["max_age"].integer.map { Int($0) }
    acrValues = arguments["acr_values"].string
    parameters = Dictionary(
      try HTTPRequestOptions.fields(arguments, "parameters"), uniquingKeysWith: { _, last in last })
  }
}

extension TokenRequest {
  /// The table of `oauth.token`: any grant, with any parameters.
  @HostActor init(_ arguments: Arguments) throws {
    let table = arguments[0].table
    guard let grant = table?["grant_type"].string else {
      throw arguments.failure("grant_type is missing", hint: "for example grant_type = \"authorization_code\"")
    }
    self.init(
      grantType: grant, policy: table?["policy"].string, scopes: try arguments.words(table?["scopes"] ?? .nil, "scopes")
    )
    for pair in table?.pairs ?? [] {
      guard let name = pair.key.string else {
        throw arguments.failure("parameters have names, got a \(pair.key.typeName) as key")
      }
      if ["grant_type", "policy", "scopes"].contains(name) { continue }
      switch pair.value {
      case .bytes, .integer, .number, .boolean: parameters[name] = arguments.state.rawText(of: pair.value)
      default:
        guard let secret = pair.value.asSecret else {
          throw arguments.failure("\(name): expected a string, got \(pair.value.typeName)")
        }
        parameters[name] = secret.reveal()
      }
    }
  }
}

extension Arguments {
  /// A list of strings, or one string of words; nil when there is none.
  @HostActor func words(_ value: LuaValue, _ place: String) throws(LuaError) -> [String]? {
    if value.isNil { return nil }
    if let text = value.string { return text.split(separator: " ").map(String.init) }
    var words: [String] = []
    for element in value.table?.elements ?? [] {
      guard let word = element.string else {
        throw failure("\(place): expected a list of strings, got a \(element.typeName) in it")
      }
      words += word.split(separator: " ").map(String.init)
    }
    return words
  }
}
