package import Automation
package import CommandLine
import Core
import Files
import Glibc
import HostLoop
package import LocalTenant
import Settings
import TenantMCP

extension RunOptions.OwnTenant {
  /// The text of the file of `--client-ca`.
  func readAuthorities() throws -> String? {
    guard let clientAuthorities else { return nil }
    guard usesTLS else {
      throw UsageError("--client-ca: only https shows certificates of clients", hint: "add --tls")
    }
    let text = String(decoding: try FileSystem.contents(of: clientAuthorities, limit: 1 << 20), as: UTF8.self)
    guard text.contains("-----BEGIN CERTIFICATE-----") else {
      throw UsageError(
        "--client-ca: \(clientAuthorities) holds no certificates", hint: "give a file of PEM certificates")
    }
    return text
  }
}

extension RunOptions {
  /// The certificate of the tenant of `--local`; nil without `--tls`.
  package var tenantCertificate: TenantCertificate? {
    get throws { session.localTenant != nil && tenant.usesTLS ? try TenantCertificate.find() : nil }
  }

  /// The local tenant of `--local`; nil without one.
  package func startTenant(_ console: Console) throws -> LocalTenant? {
    guard let local = session.localTenant else {
      guard !tenant.usesTLS else {
        throw UsageError(
          "--tls: there is no local tenant to serve https", hint: "add --local, or use b2c-run tenant --tls")
      }
      // A script may need no settings: nobody else would tell.
      if let file = session.settings.file { try Settings.check(file: file) }
      return nil
    }
    guard session.settings.file == nil else {
      throw UsageError(
        "--settings has no effect with --local", hint: "leave one of the two out; --set KEY=VALUE changes one setting")
    }
    var settings = TenantConfiguration(
      dataFile: local.data, tls: try tenantCertificate?.identity,
      kind: override("kind").flatMap(TenantKind.init) ?? .b2c, onMessage: { console.post(.info, $0.text) })
    settings.profile = override("profile").flatMap(TenantProfile.init)
    settings.clientAuthorities = try tenant.readAuthorities()
    let server = try servesMCP ? TenantMCP(in: &settings) : nil
    func start() throws -> LocalTenant {
      let started = try LocalTenant(settings)
      server?.begin(before: started)
      return started
    }
    guard let tape = CurrentTape.value else { return try start() }
    var tenant: LocalTenant?
    let url = try tape.input(.tenant, "the address") {
      let started = try start()
      tenant = started
      return Array(started.url.utf8)
    }
    if let tenant { return tenant }
    settings.dataFile = nil
    return try CurrentTape.paused { try LocalTenant(settings, inPlaceOf: String(decoding: url, as: UTF8.self)) }
  }

  /// True if the tenant is an MCP server, too: `--set mcp=true`.
  private var servesMCP: Bool {
    get throws(UsageError) {
      guard let text = override("mcp") else { return false }
      guard let value = Bool(text) else { throw UsageError("--set mcp: expected true or false, got '\(text)'") }
      return value
    }
  }

  /// A setting of `--set`, such as `kind` or `profile`, which make the local tenant another one.
  private func override(_ name: String) -> String? { session.settings.overrides.last { $0.key == name }?.value }

  /// Lets the runs of jobs use this tenant by a file with its settings, which is written to `folder`.
  mutating func pass(_ tenant: LocalTenant, in folder: String) throws {
    let path = "\(folder)/tenant.plist"
    do {
      try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)).write(
        tenant.settingsFile.utf8)
    } catch { throw UsageError("cannot write \(path): \(error.reason)") }
    given.insert(("--settings", path), at: 0)
    if session.storePath == nil {
      // Accounts of an earlier tenant are of no use at this one.
      let store = "\(folder)/tenant-accounts"
      TemporaryPlace.remove(store)
      given.append(("--store", store))
    }
    if let certificate = try tenantCertificate { given.append(("--cacert", certificate.path)) }
  }
}
