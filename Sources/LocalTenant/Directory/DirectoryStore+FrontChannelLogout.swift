import SQLite

extension DirectoryStore {
  /// The application's logout URI, which the browser loads in a frame when a session ends.
  func frontChannelLogoutURI(of application: Application) throws -> String? {
    try database.first("SELECT uri FROM front_channel_logout WHERE client = ?", .text(application.id))?[0].text
  }

  /// - Parameter uri: the logout URI, or nil to remove it.
  /// - Throws: `unknown_application`, `invalid_uri`.
  func setFrontChannelLogoutURI(_ uri: String?, clientID: String) throws {
    let application = try Contoso.registeredApplication(clientID)
    guard let uri else {
      return try database.execute("DELETE FROM front_channel_logout WHERE client = ?", .text(application.id))
    }
    guard LoopbackURI(uri) != nil else {
      throw TenantError(
        code: "invalid_uri", message: "the front-channel logout URI is no URL of this machine: \(uri)",
        hint: "use one such as http://127.0.0.1:8080/signed-out")
    }
    try database.execute(
      "INSERT OR REPLACE INTO front_channel_logout VALUES (?, ?)", .text(application.id), .text(uri))
  }
}
