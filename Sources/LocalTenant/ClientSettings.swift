import Core
import HTTPServer

/// The settings of a client of this tenant, with the keys of `settings.plist`: the tutorial's keys, with endpoints in
/// the tutorial's form, and also `authority`, `logoutURL` and `policies`.
struct ClientSettings {
  /// The tenant's address, without a slash at its end.
  let url: String

  /// All settings except `policies`.
  var texts: [(key: String, value: String)] {
    let old = "\(url)/\(Contoso.domain)/oauth2/v2.0"
    let policy = Contoso.policies[0].name
    return [
      ("accountIdentifier", "B2C_Local_Tasks"),
      ("clientID", Contoso.publicApplication.id),
      ("clientSecret", ""),
      ("authURL", "\(old)/authorize?p=\(policy)"),
      ("loginURL", "\(url)/\(Contoso.domain)/\(policy)/login"),
      ("bhh", "urn:ietf:wg:oauth:2.0:oob"),
      ("tokenURL", "\(old)/token?p=\(policy)"),
      ("keychain", "com.onmicrosoft.contoso.tasks"),
      ("contentType", "application/x-www-form-urlencoded"),
      ("taskAPI", url),
      ("authority", "\(url)/\(Contoso.domain)/\(policy)"),
      ("logoutURL", "\(old)/logout?p=\(policy)"),
    ]
  }

  /// The settings as an XML property list, ready to be saved.
  var file: String {
    let policies = Contoso.policyRoles.map(Self.entry).joined(separator: "\n").replacing("\n", with: "\n  ")
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \(texts.map(Self.entry).joined(separator: "\n"))
        <key>policies</key>
        <dict>
        \(policies)
        </dict>
      </dict>
      </plist>

      """
  }

  /// The settings that a client needs, as options of `b2c-run`. The client takes the others from the authority's
  /// metadata document.
  var flags: [String] {
    // With the keychain, `b2c-run` uses the same accounts as the settings file.
    let needed = texts.filter { ["authority", "clientID", "bhh", "taskAPI", "keychain"].contains($0.key) }
    return (needed.map { "\($0.key)=\($0.value)" } + Contoso.policyRoles.map { "policies.\($0.0)=\($0.1)" })
      .map { "--set \($0)" }
  }

  private static func entry(_ key: String, _ value: String) -> String {
    "  <key>\(key)</key>\n  <string>\(HTMLText.escape(value))</string>"
  }
}
