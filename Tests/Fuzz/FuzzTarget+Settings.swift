import Core
import JSON

@testable import OAuth
@testable import Settings

extension FuzzTarget {
  /// XML and binary property lists.
  static let propertyLists = FuzzTarget("property-lists") { input in
    let values = try SettingsFile(bytes: input.bytes, path: "settings.plist").values
    _ = try Settings.load(values: Dictionary(values.map { ($0.name, $0.value) }) { $1 }, source: "fuzz", overrides: [])
  }

  /// Settings in JSON, with an argument of `--set` in the first line.
  static let settings = FuzzTarget("settings") { input in
    var input = input
    var argument = input.part()
    let name = argument.part(until: UInt8(ascii: "=")).text
    let values = try SettingsFile(bytes: input.bytes, path: "settings.json").values
    let settings = try Settings.load(
      values: Dictionary(values.map { ($0.name, $0.value) }) { $1 }, source: "fuzz", overrides: [(name, argument.text)])
    _ = (
      settings.authorizationEndpoint(policy: "signIn"), settings.metadataURL(policy: nil), settings.meantPolicy(name)
    )
  }

  /// The documents of a provider: metadata, tokens, codes for devices, errors.
  static let metadata = FuzzTarget("metadata") { input in
    let json = try JSON(parsing: input.bytes)
    let url = "https://login.example.com/v2.0/.well-known/openid-configuration"
    for issuer in [nil, "https://login.example.com/v2.0"] {
      let metadata = try? ProviderMetadata(json, from: url, expectedIssuer: issuer, usesAliases: true)
      _ = metadata?.strings("id_token_signing_alg_values_supported")
    }
    _ = TokenSet(
      json, to: TokenRequest(grantType: "authorization_code"), tokenType: "Bearer", receivedAt: 1_800_000_000,
      serverDate: nil)
    _ = try? DeviceAuthorization(json, from: url)
    let parameters = (json.object ?? [:]).compactMapValues(\.string)
    _ = OAuthError(provider: parameters, stage: .token, status: 400).message
  }
}
