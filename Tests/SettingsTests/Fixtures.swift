import Settings
import TestSupport
import Testing

extension TemporaryFolder {
  /// Loads `text` as a settings file of that name; messages have the folder's path taken out.
  func load(_ name: String, _ text: String, _ overrides: [(String, String)] = []) throws -> Settings {
    try Settings.load(file: write(text, to: name), overrides: overrides)
  }

  /// The message of the error `body` throws, without the folder's path.
  func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch let error as SettingsError {
      return error.message.replacing("\(path)/", with: "")
    } catch {
      return "another error: \(error)"
    }
  }
}

let tutorial = """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
  <plist version="1.0">
  <dict>
    <key>accountIdentifier</key>
    <string>B2C_Account</string>
    <key>clientID</key>
    <string>6f8a2c1e</string>
    <key>clientSecret</key>
    <string></string>
    <key>authURL</key>
    <string>https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=b2c_1_signin</string>
    <key>loginURL</key>
    <string>https://login.microsoftonline.com/contoso.onmicrosoft.com/login</string>
    <key>bhh</key>
    <string>urn:ietf:wg:oauth:2.0:oob</string>
    <key>tokenURL</key>
    <string>https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/token?p=b2c_1_signin</string>
    <key>keychain</key>
    <string>com.example.tasks</string>
    <key>contentType</key>
    <string>application/x-www-form-urlencoded</string>
    <key>taskAPI</key>
    <string>https://tasks.example.com/</string>
    <key>color</key>
    <dict><key>red</key><integer>3</integer><key>dark</key><true/></dict>
  </dict>
  </plist>
  """
