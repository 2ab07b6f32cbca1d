package import Automation
package import CommandLine
import ConformClient
import Files
import HostLoop
import Imitation
import LocalTenant
import Parties
import TenantMCP
import Terminal

/// `b2c-run tenant`
package struct TenantCommand: Command {
  package static let form = CommandForm("tenant", "run a local tenant as a server until Ctrl-C")

  package static let flags: [Flag<Self>] = [
    Flag("--port N", "listen on this port; a free port if not given") { command, value in
      guard let port = UInt16(value ?? "") else {
        throw UsageError("--port: expected a number from 0 to 65535, got '\(value ?? "")'")
      }
      command.port = port
    },
    Flag("--data FILE", "keep users, tasks and keys in FILE; in memory if not given", \.data),
    Flag("--kind KIND", "imitate b2c, which is the default, or external_id") { command, value in
      guard let kind = TenantKind(rawValue: value ?? "") else {
        let kinds = TenantKind.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError("--kind: expected \(kinds), got '\(value ?? "")'")
      }
      command.kind = kind
    },
    Flag("--profile PROFILE", "enforce oauth2.1 or fapi2") { command, value in
      guard let profile = TenantProfile(rawValue: value ?? "") else {
        let profiles = TenantProfile.allCases.map(\.rawValue).joined(separator: " or ")
        throw UsageError("--profile: expected \(profiles), got '\(value ?? "")'")
      }
      command.profile = profile
    },
    Flag(
      "--like PROFILE", "answer like this real provider, such as google: a profile of scripts/profiles, or a file",
      \.party),
    Flag(
      "--guid-issuer", "use the GUID of the directory in the issuer, as Azure AD B2C does by default", \.usesGUIDIssuer),
    Flag("--mcp", "be an MCP server at /mcp, too, with the tasks as tools, and its authorization server", \.servesMCP),
    Flag(
      "--private-network", "with --mcp: fetch client ID metadata documents from private addresses, too", \.allowsPrivate
    ),
  ]

  private var port: UInt16 = 0
  private var data: String?
  private var kind = TenantKind.b2c
  private var profile: TenantProfile?
  private var party: String?
  private var usesGUIDIssuer = false
  private var servesMCP = false
  private var allowsPrivate = false

  package init() {}

  package func run(_ words: [String], _ run: RunOptions, _ console: Console) async throws -> ExitStatus {
    var configuration = TenantConfiguration(
      port: port, dataFile: data, kind: kind, issuerForm: usesGUIDIssuer ? .guid : .metadata)
    configuration.profile = profile
    let certificate = run.tenant.usesTLS ? try TenantCertificate.find() : nil
    configuration.tls = certificate?.identity
    configuration.clientAuthorities = try run.tenant.readAuthorities()
    configuration.onMessage = { console.post(.info, $0.text) }
    let imitation = try imitation(run)
    imitation?.configure(&configuration)
    let server = servesMCP ? TenantMCP(in: &configuration, allowsPrivate: allowsPrivate) : nil
    guard servesMCP || !allowsPrivate else {
      throw UsageError("--private-network has no effect without --mcp", hint: "leave it out, or add --mcp")
    }
    let tenant = try LocalTenant(configuration)
    defer { tenant.stop() }
    imitation?.begin(at: tenant.url)
    server?.begin(before: tenant)
    // The settings alone go to standard output: b2c-run tenant > settings.plist
    console.write(tenant.banner(certificate: certificate?.path))
    if servesMCP { console.log(.info, "the MCP server is at \(tenant.url)/mcp") }
    StandardOutput.write(data: tenant.settingsFile)
    StandardOutput.flush()
    console.log(.info, "serving; Ctrl-C ends it")
    while true { try await HostLoop.shared.sleep(seconds: 3600) }
  }

  /// The habits of `--like`; nil without it.
  private func imitation(_ run: RunOptions) throws -> Imitation? {
    guard let party else { return nil }
    guard data == nil else {
      throw UsageError(
        "--data has no effect with --like", hint: "leave one of the two out: the tenant signs with a key of this run")
    }
    let profile = try ProfileFolder(scripts: run.session.scriptsFolder).profile(.provider, party)
    return Imitation(profile, keys: try TenantKeys())
  }
}
