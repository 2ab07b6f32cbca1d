import Automation
import Core
import HostLoop
import Lua
import LuaKit
import OAuth

extension OAuthModule {
  static let deviceCode = asking(
    "oauth.device_code", "Requests a code that the user enters on another device (RFC 8628).",
    options: DeviceOptions.keys,
    returns: .init(.record(deviceRecord.record), "The code and the instructions for the user.")
  ) { module, arguments, attempt in
    let options = try DeviceOptions(arguments)
    // The token response is compared with it.
    var request = options.request
    request.details = try arguments.details(options.details, module.signIns.context.json)
    let code = try await DeviceEndpoint(attempt.provider).authorization(
      policy: request.policy ?? attempt.policy, scopes: request.scopes, resources: request.binding.resources,
      details: request.details)
    attempt.authorization = request
    return [deviceRecord.value(code)]
  }

  private struct DeviceOptions: LuaOptions {
    var request = AuthorizationRequest()
    var details = LuaValue.nil

    static let fields: [Field] = [
      .policy(\.request.policy),
      .words("scopes", \.request.scopes, "The requested scopes; the scopes of the settings if not given."),
      .resource(\.request.binding.resources, "The API that the tokens are for, or several (RFC 8707)."),
      .details(\.details, "The requested details (RFC 9396)."),
    ]
  }

  /// The response of the device authorization endpoint (RFC 8628, 3.2).
  private static let deviceRecord = ValueRecord<DeviceAuthorization>(
    "device code", "A code that the user enters on another device, and the URL for it.",
    .init("device_code", .object("secret"), "The device code, for oauth.token.") { .secret($0.deviceCode) },
    .init("user_code", .string, "The code that the user enters.") { .string($0.userCode) },
    .init("verification_uri", .string, "The URL at which the user enters the code.") { .string($0.verificationURI) },
    .init("verification_uri_complete", .string, optional: true, "The same URL with the code in it.") {
      .string($0.verificationURIComplete)
    },
    .init("expires_in", .integer, "The lifetime of the code, in seconds.") { .integer($0.expiresIn) },
    .init("interval", .integer, "The seconds between two requests for the token.") { .integer($0.interval) },
    .init("message", .string, optional: true, "Instructions for the user.") { .string($0.message) })
}
