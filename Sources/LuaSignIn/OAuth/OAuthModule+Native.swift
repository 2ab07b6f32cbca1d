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
    .options(NativeOptions.keys, required: true),
    returns: .init(.record(.nativeAnswer), "The answer of the provider.")
  ) { module, arguments, attempt in
    let options = try NativeOptions(arguments)
    var parameters = options.parameters
    if let attributes = options.attributes {
      // The provider takes a JSON object in one parameter.
      let place = arguments.place(option: "attributes")
      parameters["attributes"] = String(
        decoding: try module.signIns.context.json.text(attributes, at: place), as: UTF8.self)
    }
    let answer = try await NativeAuthentication(attempt.provider).send(options.endpoint ?? .initiate, parameters)
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
private struct NativeOptions: LuaOptions {
  var endpoint: NativeEndpoint?
  /// The parameters of the request.
  var parameters: [String: String] = [:]
  var attributes: LuaValue?

  static let fields: [Field] = [
    .init(
      "endpoint", \.endpoint, .choice(NativeEndpoint.allCases.map(\.rawValue)), isRequired: true,
      "The endpoint, by the end of its path."
    ) { value, _ in value.string.flatMap(NativeEndpoint.init) },
    secret("continuation_token", "The token of the previous answer; not for the first request."),
    text("username", "The user's email address, for the first request."),
    text(
      "challenge_type",
      "The methods that the script can ask for; \"oob password redirect\" if not given, and \"oob redirect\" for a reset."
    ),
    .init(
      "grant_type", \.parameters["grant_type"], .choice(["oob", "password", "attributes"]),
      "The kind of proof, for continue."),
    secret("oob", "The code that the user received."),
    secret("password", "The password of a new user."),
    secret("new_password", "The new password, for submit."),
    .init("attributes", \.attributes, .map(of: .any), "The attributes of a new user, by name."),
  ]

  private static func text(_ name: String, _ doc: String) -> Field { Field(name, \.parameters[name], doc) }

  private static func secret(_ name: String, _ doc: String) -> Field {
    Field(name, \.parameters[name], .secret, doc) { value, _ in value.asSecret?.reveal() }
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
