import Automation
import Core
import HostLoop
import JSON
import Lua
import OAuth

extension OAuthModule {
  static let native = asking(
    "oauth.native",
    "Sends one request of native authentication to Microsoft Entra External ID. The answers credential_required and "
      + "attributes_required are returned; other errors are raised, with the suberror as code.",
    .options(NativeRequest.keys, required: true),
    returns: .init(.record(.nativeAnswer), "The answer of the provider.")
  ) { module, arguments, context, _ in
    let request = try NativeRequest(arguments, module.host.json)
    let answer = try await context.client.native(request.endpoint, request.parameters)
    return [
      .record(
        (answer.object ?? [:]).map { name, value in
          let isToken = name == "continuation_token"
          return (name, isToken ? .secret(value.string.map { Secret($0) }) : module.host.json.optional(value))
        })
    ]
  }
}

/// The options of `oauth.native`.
struct NativeRequest {
  let endpoint: NativeEndpoint
  let parameters: [String: String]

  private static let texts = ["username", "challenge_type", "grant_type"]
  private static let secrets = ["continuation_token", "password", "oob", "new_password"]

  static let keys: [Parameter] = [
    Parameter("endpoint", .choice(NativeEndpoint.allCases.map(\.rawValue)), "The endpoint, by the end of its path."),
    Parameter(
      "continuation_token", .secret, optional: true, "The token of the previous answer; not for the first request."),
    Parameter("username", .string, optional: true, "The user's email address, for the first request."),
    Parameter(
      "challenge_type", .string, optional: true,
      "The methods that the script can ask for; \"oob password redirect\" if not given, and \"oob redirect\" for a reset."
    ),
    Parameter(
      "grant_type", .choice(["oob", "password", "attributes"]), optional: true, "The kind of proof, for continue."),
    Parameter("oob", .secret, optional: true, "The code that the user received."),
    Parameter("password", .secret, optional: true, "The password of a new user."),
    Parameter("new_password", .secret, optional: true, "The new password, for submit."),
    Parameter("attributes", .map(of: .any), optional: true, "The attributes of a new user, by name."),
  ]

  @HostActor init(_ arguments: Arguments, _ json: JSONMarshal) throws {
    endpoint = NativeEndpoint(rawValue: arguments["endpoint"].string ?? "") ?? .initiate
    var parameters: [String: String] = [:]
    for name in Self.texts { parameters[name] = arguments[name].string }
    for name in Self.secrets { parameters[name] = arguments[name].asSecret?.reveal() }
    if !arguments["attributes"].isNil {
      // The provider takes a JSON object in one parameter.
      parameters["attributes"] = String(
        decoding: try json.text(arguments["attributes"], at: "attributes"), as: UTF8.self)
    }
    self.parameters = parameters
  }
}

extension LuaRecord {
  /// An attribute that a sign-up has to bring.
  static let requiredAttribute = LuaRecord(
    "required attribute", "An attribute that a new user has to give.",
    Parameter("name", .string, "The name, such as displayName."),
    Parameter("type", .string, optional: true, "The type, such as string."),
    Parameter("required", .boolean, optional: true, "True if the sign-up cannot go on without the attribute."),
    Parameter("options", .map(of: .any), optional: true, "More about the values, such as regex."), others: .any)

  /// The result of `oauth.native`.
  static let nativeAnswer = LuaRecord(
    "native answer", "An answer of native authentication.",
    Parameter("continuation_token", .object("secret"), "The token for the next request."),
    Parameter("challenge_type", .string, optional: true, "The method to use: password or oob, that is a code."),
    Parameter("challenge_channel", .string, optional: true, "The way that a code was sent: email."),
    Parameter("challenge_target_label", .string, optional: true, "The address of the code, partly hidden."),
    Parameter("code_length", .integer, optional: true, "The number of characters of the code."),
    Parameter("error", .string, optional: true, "credential_required or attributes_required, at a sign-up."),
    Parameter(
      "required_attributes", .list(of: .record(requiredAttribute)), optional: true, "The missing attributes."),
    Parameter("expires_in", .integer, optional: true, "The lifetime of the continuation token, in seconds."),
    Parameter("poll_interval", .integer, optional: true, "The seconds between two questions for the status."),
    Parameter(
      "status", .string, optional: true, "The status of a reset: not_started, in_progress, succeeded or failed."),
    others: .any)

  /// The argument of the callback `code` of the flow `native`.
  static let sentCode = LuaRecord(
    "sent code", "A one-time code that a provider has sent.",
    Parameter("channel", .string, optional: true, "The way of sending: email."),
    Parameter("target", .string, optional: true, "The address, partly hidden."),
    Parameter("length", .integer, optional: true, "The number of characters."),
    Parameter("attempt", .integer, "1 for the first question; more after a wrong code."))
}
