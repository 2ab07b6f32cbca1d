import Files
import Glibc
import HTTPServer
import HostLoop

/// The start of a program with the addresses of a tenant.
@HostActor
struct ProgramStage {
  let settings: ProgramSettings
  let values: ProgramValues
  let desk: BrowserFolder

  /// - Parameter audience: the audience of an API; nil for the program of a client.
  init(_ settings: ProgramSettings, _ tenant: LyingTenant, _ folder: String, audience: String? = nil) throws {
    self.settings = settings
    let port = try Self.freePort()
    let values = tenant.values(
      isConfidential: settings.isConfidential, redirectURI: "http://127.0.0.1:\(port)/callback", folder: folder)
    self.values = ProgramValues(values: values.values + (audience.map { [("audience", $0)] } ?? []))
    desk = try BrowserFolder(in: folder)
  }

  /// The variables by which OpenSSL, requests, curl and Node.js find further certificates.
  private static let certificateVariables = [
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
  ]

  private static func freePort() throws -> UInt16 {
    let server = try HTTPServer { _ in ServerResponse(status: 404) }
    defer { server.stop() }
    return server.port
  }

  func start() throws -> ProgramProcess {
    var environment = desk.adapted(settings.environment.merging(values.variables) { $1 })
    if let path = settings.certificate?.path {
      for name in Self.certificateVariables { environment[name] = path }
    }
    // Without TLS libraries refuse a tenant, though it is on this machine.
    for name in ["OAUTHLIB_INSECURE_TRANSPORT", "AUTHLIB_INSECURE_TRANSPORT"] { environment[name] = "1" }
    for name in ["no_proxy", "NO_PROXY"] { environment[name] = "127.0.0.1,localhost" }
    environment["PYTHONUNBUFFERED"] = "1"
    for variable in settings.variables { environment[variable.name] = values.fill(variable.value) }
    for file in settings.files {
      let path = values.fill(file.path)
      let place = path.hasPrefix("/") ? path : "\(settings.folder)/\(path)"
      try OpenFile(place, Opening(O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)).write(values.fill(file.text).utf8)
    }
    let words = settings.words.map(values.fill)
    guard let path = ProgramSettings.find(words[0], in: settings.environment["PATH"]) else {
      throw FileFailure(number: ENOENT)
    }
    return try ProgramProcess(path, Array(words.dropFirst()), environment: environment, in: settings.folder)
  }
}
