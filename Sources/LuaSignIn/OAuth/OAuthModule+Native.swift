import Automation
import Core
import HostLoop
import JSON
import Lua
import LuaKit
import OAuth

extension OAuthModule {
  static let native = asking(
    "oauth.native",
    "Sends one request of native authentication to Microsoft Entra External ID. The answers credential_required and "
      + "attributes_required are returned; other errors are raised, with the suberror as code.",
    .options(NativeRequest.keys, required: true),
    returns: .init(.record(.nativeAnswer), "The answer of the provider.")
  ) { module, arguments, context, _ in
    let request = try NativeRequest(arguments, module.signIns.context.json)
    let answer = try await context.client.native(request.endpoint, request.parameters)
    return [
      .record(
        (answer.object ?? [:]).map { name, value in
          let isToken = name == "continuation_token"
          return (
            name, isToken ? .secret(value.string.map { Secret($0) }) : module.signIns.context.json.optional(value)
          )
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
    .optional(
      "continuation_token", .secret, "The token of the previous answer; not for the first request."),
    .optional("username", .string, "The user's email address, for the first request."),
    .optional(
      "challenge_type", .string,
      "The methods that the script can ask for; \"oob password redirect\" if not given, and \"oob redirect\" for a reset."
    ),
    Parameter(
      "grant_type", .choice(["oob", "password", "attributes"]), optional: true, "The kind of proof, for continue."),
    .optional("oob", .secret, "The code that the user received."),
    .optional("password", .secret, "The password of a new user."),
    .optional("new_password", .secret, "The new password, for submit."),
    .optional("attributes", .map(of: .any), "The attributes of a new user, by name."),
  ]

  @HostActor init(_ arguments: Arguments, _ json: JSONMarshal) throws {
    endpoint = NativeEndpoint(rawValue: arguments["endpoint"].string ?? "") ?? .initiate
    var parameters: [String: String] = [:]
    for name in Self.texts { parameters[name] = arguments[name].string }
    for name in Self.secrets { parameters[name] = arguments[name].asSecret?.reveal() }
    if !arguments["attributes"].isNil {
      // The provider takes a JSON object in one parameter.
      parameters["attributes"] = String(
        decoding: try json.text(arguments["attributes"], at: arguments.place(option: "attributes")), as: UTF8.self)
    }
    self.parameters = parameters
  }
}

extension LuaRecord {
  /// An attribute that a sign-up has to bring.
  static let requiredAttribute = LuaRecord(
    "required attribute", "An attribute that a new user has to give.",
    Parameter("name", .string, "The name, such as displayName."),
    .optional("type", .string, "The type, such as string."),
    .optional("required", .boolean, "True if the sign-up needs the attribute."),
    .optional("options", .map(of: .any), "More about the values, such as regex."), others: .any)

  /// The result of `oauth.native`.
  static let nativeAnswer = LuaRecord(
    "native answer", "An answer of native authentication.",
    Parameter("continuation_token", .object("secret"), "The token for the next request."),
    .optional("challenge_type", .string, "The method to use: password or oob, that is a code."),
    .optional("challenge_channel", .string, "The way that a code was sent: email."),
    .optional("challenge_target_label", .string, "The address of the code, partly hidden."),
    .optional("code_length", .integer, "The number of characters of the code."),
    .optional("error", .string, "credential_required or attributes_required, at a sign-up."),
    .optional(
      "required_attributes", .list(of: .record(requiredAttribute)), "The missing attributes."),
    .optional("expires_in", .integer, "The lifetime of the continuation token, in seconds."),
    .optional("poll_interval", .integer, "The seconds between two questions for the status."),
    .optional(
      "status", .string, "The status of a reset: not_started, in_progress, succeeded or failed."),
    others: .any)

  /// The argument of the callback `code` of the flow `native`.
  static let sentCode = LuaRecord(
    "sent code", "A one-time code that a provider has sent.",
    .optional("channel", .string, "The way of sending: email."),
    .optional("target", .string, "The address, partly hidden."),
    .optional("length", .integer, "The number of characters."),
    Parameter("attempt", .integer, "1 for the first question; more after a wrong code."))
}
