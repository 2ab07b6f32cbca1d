import Core
package import JSON
import TenantTexts

/// The settings of a client, in the forms in which the tenant shows them; see `LocalTenant.settings`.
struct ClientSettings {
  /// The tenant's address, without a slash at its end.
  let url: String
  let kind: TenantKind
  var profile: TenantProfile?
  /// The value of `clientKey` with a profile that needs a key.
  var clientKey = "stored:\(LocalTenant.clientKeyName)"

  /// The system's browser comes back to a free port of this machine.
  private static let redirectURL = "http://localhost"

  var texts: [(key: String, value: String)] {
    var texts = kind == .b2c ? policyTexts : externalTexts
    guard let profile else { return texts }
    texts.append(("profile", profile.rawValue))
    guard profile == .fapi2 else { return texts }
    texts = texts.map { $0.key == "clientID" ? ("clientID", Contoso.keyApplication.id) : $0 }
    return texts + [("clientAuthentication", ClientMethod.keyJWT.rawValue), ("clientKey", clientKey)]
  }

  /// The settings of a client of External ID, whose endpoints are in the metadata document.
  private var externalTexts: [(key: String, value: String)] {
    [
      ("kind", kind.rawValue),
      ("accountIdentifier", "ExternalID_Local_Tasks"),
      ("clientID", Contoso.publicApplication.id),
      ("clientSecret", ""),
      ("authority", "\(url)/\(Contoso.domain)"),
      ("loginURL", "\(url)/\(Contoso.domain)/login"),
      ("redirectURL", Self.redirectURL),
      (
        "scopes",
        (["openid", "offline_access"] + Contoso.taskScopes).joined(separator: ",")
      ),
      ("keychain", "com.onmicrosoft.contoso.tasks"),
      ("contentType", "application/x-www-form-urlencoded"),
      ("taskAPI", url),
    ]
  }

  private var policyRoles: [(String, String)] { kind == .b2c ? Contoso.policyRoles : [] }

  private var policyTexts: [(key: String, value: String)] {
    let old = "\(url)/\(Contoso.domain)/oauth2/v2.0"
    let policy = Contoso.policies[0].name
    return [
      ("accountIdentifier", "B2C_Local_Tasks"),
      ("clientID", Contoso.publicApplication.id),
      ("clientSecret", ""),
      ("authURL", "\(old)/authorize?p=\(policy)"),
      ("loginURL", "\(url)/\(Contoso.domain)/\(policy)/login"),
      ("redirectURL", Self.redirectURL),
      ("tokenURL", "\(old)/token?p=\(policy)"),
      ("keychain", "com.onmicrosoft.contoso.tasks"),
      ("contentType", "application/x-www-form-urlencoded"),
      ("taskAPI", url),
      ("authority", "\(url)/\(Contoso.domain)/\(policy)"),
      ("logoutURL", "\(old)/logout?p=\(policy)"),
    ]
  }

  var file: String {
    var entries = texts.map(Self.entry)
    if kind == .b2c {
      let policies = Contoso.policyRoles.map(Self.entry).joined(separator: "\n").replacing("\n", with: "\n  ")
      entries.append("  <key>policies</key>\n  <dict>\n  \(policies)\n  </dict>")
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(entries.joined(separator: "\n"))
      </dict>
      </plist>

      """
  }

  /// The options of `b2c-run` for a client, which takes the others from the authority's metadata document.
  var flags: [String] {
    // With the keychain, `b2c-run` uses the same accounts as the settings file.
    let needed = texts.filter {
      [
        "authority", "clientID", "redirectURL", "taskAPI", "keychain", "kind", "scopes", "profile",
        "clientAuthentication",
        "clientKey",
      ].contains($0.key)
    }
    return (needed.map { "\($0.key)=\($0.value)" } + policyRoles.map { "policies.\($0.0)=\($0.1)" })
      .map { "--set \($0)" }
  }

  private static func entry(_ key: String, _ value: String) -> String {
    "  <key>\(key)</key>\n  <string>\(HTMLText.escape(value))</string>"
  }
}

extension LocalTenant {
  /// The tutorial's keys of `settings.plist`, with endpoints in its form, and `authority`, `logoutURL` and `policies`.
  package var settings: [String: JSON] {
    let kind = kind
    let texts = ClientSettings(url: url, kind: kind, profile: profile).texts.map { ($0.key, JSON.string($0.value)) }
    let policies = Dictionary(uniqueKeysWithValues: Contoso.policyRoles.map { ($0.0, JSON.string($0.1)) })
    return Dictionary(uniqueKeysWithValues: texts + (kind == .b2c ? [("policies", .object(policies))] : []))
  }

  /// The settings as an XML property list, ready to be saved as `settings.plist`.
  package var settingsFile: String {
    ClientSettings(url: url, kind: kind, profile: profile, clientKey: Self.clientKeyFile).file
  }

  /// The file of the key that `settingsFile` names if the profile needs one.
  private static let clientKeyFile = "local-tenant-key.json"

  /// The users of a new directory.
  package static var seededUsers: [(username: String, email: String, password: String, displayName: String)] {
    Contoso.seeds
  }

  /// The public client, which has no secret.
  package static var nativeApplication: Application { Contoso.publicApplication }
  /// The confidential client, which has a secret.
  package static var webApplication: Application { Contoso.confidentialApplication }

  /// The text that `b2c-run tenant` prints at its start. `settingsFile` is the same information for a client.
  /// - Parameter certificate: with https, the path of the certificate that clients must trust.
  package func banner(certificate: String? = nil) -> String {
    let isB2C = kind == .b2c
    let base = "\(url)/\(Contoso.domain)" + (isB2C ? "/\(Contoso.policies[0].name)" : "")
    var lines = [
      "Local tenant \(Contoso.domain) at \(url)",
      "",
      "  status page   \(url)/",
      "  metadata      \(base)/v2.0/.well-known/openid-configuration",
      "  task API      \(url)/api/tasks",
      isB2C
        ? "  policies      "
          + Contoso.policies.map { "\($0.name) (\($0.purpose))" }.joined(separator: "\n                ")
        : "  kind          external_id: no policies, and native authentication",
      "  public app    \(Contoso.publicApplication.id)",
      "  web app       \(Contoso.confidentialApplication.id), secret \(Contoso.confidentialApplication.secret ?? "")",
      "  API scopes    " + Contoso.taskScopes.joined(separator: " "),
      "  redirects     any loopback URL, such as http://localhost",
    ]
    if profile == .fapi2 {
      lines += [
        "  key app       \(Contoso.keyApplication.id), private_key_jwt",
        "  its key       save this line as \(Self.clientKeyFile) beside the settings, and give --settings:",
        Contoso.clientKey.encoded(),
      ]
    }
    if let certificate { lines.append("  CA file       \(certificate)") }
    lines += ["", "Users of a new directory:", ""]
    for user in Contoso.seeds {
      lines.append("  \(user.username.fitted(to: 12))  \(user.email.fitted(to: 24))  \(user.password)")
    }
    return lines.joined(separator: "\n")
  }
}
