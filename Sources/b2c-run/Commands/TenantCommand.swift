import Automation
import Files
import HTTPServer
import HostLoop
import LocalTenant
import Lua
import LuaKit

struct TenantOptions {
  var port: UInt16 = 0
  var data: String?
  var usesTLS = false
  /// The file of `--client-ca`.
  var clientAuthorities: String?
  var usesGUIDIssuer = false
  var kind = TenantKind.b2c
  var profile: TenantProfile?
}

extension TenantOptions {
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

extension Command {
  static let tenant = Command("tenant", "run a local tenant as a server until Ctrl-C", flags: Flag.tenant) {
    try await $0.runTenant($1)
    return .done
  }
}

extension Flag {
  fileprivate static let tenant: [Flag] = [
    Flag("--port N", "listen on this port; a free port if not given") { invocation, value in
      guard let port = UInt16(value ?? "") else {
        throw UsageError("--port: expected a number from 0 to 65535, got '\(value ?? "")'")
      }
      invocation.tenant.port = port
    },
    Flag("--data FILE", "keep users, tasks and keys in FILE; in memory if not given", \.tenant.data),
    Flag("--kind KIND", "imitate b2c, which is the default, or external_id") { invocation, value in
      guard let kind = TenantKind(rawValue: value ?? "") else {
        let kinds = TenantKind.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError("--kind: expected \(kinds), got '\(value ?? "")'")
      }
      invocation.tenant.kind = kind
    },
    Flag("--profile PROFILE", "enforce oauth2.1 or fapi2") { invocation, value in
      guard let profile = TenantProfile(rawValue: value ?? "") else {
        let profiles = TenantProfile.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError("--profile: expected \(profiles), got '\(value ?? "")'")
      }
      invocation.tenant.profile = profile
    },
    Flag(
      "--guid-issuer", "use the GUID of the directory in the issuer, as Azure AD B2C does by default",
      \.tenant.usesGUIDIssuer),
  ]
}

extension Invocation {
  @HostActor
  fileprivate func runTenant(_ console: Console) async throws {
    var configuration = TenantConfiguration(
      port: tenant.port, dataFile: tenant.data, kind: tenant.kind,
      issuerForm: tenant.usesGUIDIssuer ? .guid : .metadata)
    configuration.profile = tenant.profile
    let certificate = tenant.usesTLS ? try TenantCertificate.find() : nil
    configuration.tls = certificate?.identity
    configuration.clientAuthorities = try tenant.readAuthorities()
    configuration.onMessage = { console.post(.info, $0.text) }
    let tenant = try LocalTenant(configuration)
    defer { tenant.stop() }
    // The settings alone go to standard output: b2c-run tenant > settings.plist
    console.write(tenant.banner(certificate: certificate?.path))
    StandardOutput.write(data: tenant.settingsFile)
    StandardOutput.flush()
    console.log(.info, "serving; Ctrl-C ends it")
    while true { try await HostLoop.shared.sleep(seconds: 3600) }
  }
}
