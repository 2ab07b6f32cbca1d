import CommandLineSupport
import Foundation
import Testing

/// Certificates of clients (RFC 8705), from the settings to the local tenant.
@Suite("Mutual TLS", .serialized)
struct MutualTLSTests {
  private let program: Program

  init() throws {
    program = try Program()
    try openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=tasks -keyout a.key -out a.crt")
  }

  private func openssl(_ words: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
    process.currentDirectoryURL = program.folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(words)")
  }

  private func run(_ certificate: String, _ key: String?, _ words: String...) throws -> Program.Result {
    let keys = key.map { ["--set", "clientCertificateKey=\($0)"] } ?? []
    return try program.run(
      list: ["--local", "--tls", "-A", "--set", "clientCertificate=\(certificate)"] + keys + words)
  }

  /// A sign-in with the certificate at an application that the tenant registers for it.
  private static let signIn = """
    local app = tenant.add_application {
      token_endpoint_auth_method = "self_signed_tls_client_auth", jwks = jose.key.public { file = "a.crt" },
    }
    local settings = settings.with {
      tokenURL = "", clientID = app.client_id, clientAuthentication = "self_signed_tls_client_auth",
      scopes = { "openid", "offline_access", "https://contoso.onmicrosoft.com/tasks/read",
        "https://contoso.onmicrosoft.com/tasks/write" },
    }
    local account = accounts.sign_in {
      settings = settings, agent = "headless", username = "alice", password = "Wonderland-1",
    }

    """

  @Test("the example signs in, refreshes, and shows that a stolen token is refused")
  func example() throws {
    let path = Program.project.appending(path: "examples/flows/mutual_tls.lua").path
    let result = try program.run(
      "--local", "--tls", "--allow-read=a.crt", "--set", "clientCertificate=a.crt", "--set",
      "clientCertificateKey=a.key", path)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasSuffix("the stolen token alone is answered 401\n"))
  }

  @Test("an import shows the certificate with each row")
  func imports() throws {
    try Data("Text\nBuy milk\nCall Ann\n".utf8).write(to: program.folder.appending(path: "rows.csv"))
    let script =
      Self.signIn + """
        tenant.require { "mtls" }
        local report = tasks.import("rows.csv", { account = account, progress = false })
        print(report.added, #tasks.list { account = account })
        """
    let result = try run("a.crt", "a.key", "-e", script)
    #expect(result.output == "2\t2\n", "\(result)")
  }

  @Test("tls_client_auth needs a trusted authority and the registered subject")
  func authority() throws {
    try openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=Authority -keyout ca.key -out ca.crt"
    )
    try openssl(
      "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /O=Contoso/CN=tasks -keyout b.key -out b.csr")
    try openssl("x509 -req -in b.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out b.crt")
    let script = { (subject: String) in
      """
      local app = tenant.add_application {
        token_endpoint_auth_method = "tls_client_auth", tls_client_auth_subject_dn = "\(subject)",
      }
      local settings = settings.with { clientID = app.client_id, clientAuthentication = "tls_client_auth" }
      local ok, problem = pcall(accounts.sign_in, {
        settings = settings, flow = "client_credentials", scopes = { "https://contoso.onmicrosoft.com/tasks/.default" },
      })
      print(ok and "granted" or problem.message)
      """
    }
    let words = ["--local", "--tls", "-A", "--set", "clientCertificate=b.crt", "--set", "clientCertificateKey=b.key"]
    let granted = try program.run(list: words + ["--client-ca", "ca.crt", "-e", script("CN=tasks,O=Contoso")])
    #expect(granted.output == "granted\n", "\(granted)")
    let other = try program.run(list: words + ["--client-ca", "ca.crt", "-e", script("CN=other")])
    #expect(
      other.output.contains("its subject is 'CN=tasks,O=Contoso', not 'CN=other' (tls_client_auth_subject_dn)"),
      "\(other)")
    let untrusted = try program.run(list: words + ["-e", script("CN=tasks,O=Contoso")])
    #expect(untrusted.output.contains("no authority that the tenant trusts issued it (--client-ca)"), "\(untrusted)")
  }

  @Test(
    "a certificate that cannot be used is an error before any request",
    arguments: [
      ("a.crt", nil, "is a certificate; a private key is needed", "give the key of the certificate"),
      ("a.crt", "other.key", "does not belong to the key in", "that the certificate was requested with"),
      ("old.crt", "a.key", "expired on ", "renew the certificate"),
      ("a.key", "a.key", "has no certificate", "BEGIN CERTIFICATE"),
      ("none.crt", "a.key", "cannot be read: ", "a path is relative to"),
      ("stored:mine", "a.key", "a certificate is a file, and stored:mine is a saved key", "clientCertificateKey"),
    ] as [(String, String?, String, String)])
  func unusable(_ certificate: String, _ key: String?, _ message: String, _ hint: String) throws {
    try openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out other.key")
    // A certificate of the past: openssl makes one only by a request, with its dates.
    try openssl("req -new -key a.key -subj /CN=tasks -out old.csr")
    try openssl("x509 -req -in old.csr -signkey a.key -days -1 -out old.crt")
    let result = try run(
      certificate, key, "-e", "tenant.sign_in()")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("clientCertificate in ") && result.errors.contains(message), "\(result)")
    #expect(result.errors.contains(hint), "\(result)")
    #expect(!result.errors.contains("PRIVATE KEY-----"))
  }

  @Test(
    "an alias on another host needs a permission, one without TLS is refused, and a token of another certificate, too")
  func faults() throws {
    for (fault, message) in [
      ("alias_host", "the token endpoint is there for clients with a certificate (mtls_endpoint_aliases)"),
      ("alias_http", "would send secrets in the clear"),
      ("wrong_thumbprint", "an access token that is bound to another certificate than the client's (cnf, x5t#S256)"),
    ] {
      let result = try program.run(
        "--local", "--tls", "--allow-read", "--no-prompt", "--set", "clientCertificate=a.crt", "--set",
        "clientCertificateKey=a.key", "-e", "tenant.fault { mtls = \"\(fault)\" }\n" + Self.signIn)
      #expect(result.status != 0 && result.errors.contains(message), "\(fault): \(result)")
    }
  }

  @Test("what needs TLS says so")
  func needsTLS() throws {
    let plain = try program.run("--local", "-e", "tenant.require { \"mtls\" }")
    #expect(plain.errors.contains("the tenant serves http, and only https shows certificates (mtls)"), "\(plain)")
    #expect(plain.errors.contains("b2c-run --local --tls SCRIPT"))
    let unused = try program.run("--tls", "-e", "")
    #expect(unused.errors.contains("--tls: there is no local tenant to serve https"), "\(unused)")
    let authority = try program.run("--local", "--client-ca", "a.crt", "-e", "")
    #expect(authority.errors.contains("--client-ca: only https shows certificates of clients"), "\(authority)")
  }
}
