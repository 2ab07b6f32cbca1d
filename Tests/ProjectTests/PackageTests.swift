import CommandLineSupport
import Foundation
import Testing

/// The libraries that the Debian package names, against the sources and against runs, and the bill of materials.
/// `make test-packages` tests the packages themselves.
@Suite("Packages", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/dpkg")))
struct PackageTests {
  /// Recommended or suggested because of data and programs, not of a library.
  private static let others: Set = ["b2c-run-webview", "ca-certificates", "lua-check", "tzdata", "xdg-utils"]

  /// A library that no run of this test loads: it needs a server.
  private static let remote: Set = ["libpq.so.5"]

  @Test("the package recommends or suggests every library that is loaded on use, and no other")
  func recommends() throws {
    let program = try Program()
    let named = try Self.recommended().subtracting(Self.others)
    let packages = try Set(LoadedLibraries.declared().compactMap { try LoadedLibraries.package(of: $0, program) })
    #expect(named == packages)
    // A message tells a person to install a package that the control file knows.
    #expect(try LoadedLibraries.packagesInMessages().isSubset(of: named))
  }

  /// A list of one task, packed with bzip2.
  private static let packed: [UInt8] = [
    0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xA6, 0x64, 0xAD, 0x1D, 0x00, 0x00, 0x01, 0xC7, 0x80,
    0x00, 0x10, 0x00, 0x02, 0x04, 0x00, 0x02, 0x2C, 0x04, 0x40, 0x20, 0x00, 0x22, 0x03, 0x47, 0xA4, 0x20, 0xC9, 0x88,
    0x3A, 0xE1, 0x20, 0x6F, 0xC5, 0xDC, 0x91, 0x4E, 0x14, 0x24, 0x29, 0x99, 0x2B, 0x47, 0x40,
  ]

  @Test("these are the libraries that the program loads when its parts are used")
  func loads() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    let watch = LoadedLibraries.watch(program)
    let script = """
      b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }
      b2c.tasks.add("Milk")
      b2c.tasks.export("tasks.json.gz")
      b2c.tasks.export("tasks.json.zst")
      """
    let run = try program.run(list: ["--local", "--tls", "-A", "-e", script], environment: watch)
    #expect(run.status == 0, "\(run)")
    try Data(Self.packed).write(to: program.folder.appending(path: "a.csv.bz2"))
    #expect(try program.run(list: ["--local", "import", "a.csv.bz2"], environment: watch).status == 0)
    // doctor asks for a QR code.
    _ = try program.run(list: ["doctor"], environment: watch)
    // A keyring that does not answer is an error of its library.
    let bus = watch.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]) { $1 }
    let signIn = "b2c.tenant.sign_in()"
    let refused = try program.run(
      list: ["--local", "--store", "store", "--set", "vault=secret_service", "-e", signIn], environment: bus)
    #expect(refused.errors.contains("the Secret Service"), "\(refused)")
    let session = try TerminalSession(program, ["--local"], environment: watch)
    try session.expect("> ")
    session.type("\u{4}")
    #expect(session.end() == 0)
    let declared = try LoadedLibraries.declared().subtracting(Self.remote)
    let loaded = try LoadedLibraries.loaded(program)
    #expect(loaded.byProgram.isSubset(of: declared), "\(loaded)")
    // A library has one file on a system, and other systems have another one.
    let packages = try Set(declared.compactMap { try LoadedLibraries.package(of: $0, program) })
    let used = loaded.all.intersection(declared)
    #expect(try Set(used.compactMap { try LoadedLibraries.package(of: $0, program) }) == packages, "\(loaded)")
  }

  @Test("the bill of materials is SPDX 2.3, and names the linked and the loaded libraries")
  func bill() throws {
    let program = try Program()
    let result = try program.run(
      list: ["0.1.0", "1796083200", Program.binary.path, "/bin/true", program.folder.path],
      executable: Program.project.appending(path: "packaging/sbom"),
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""])
    #expect(result.status == 0, "\(result)")
    let bill = try JSONDecoder().decode(
      Bill.self, from: Data(contentsOf: program.folder.appending(path: "b2c-run-0.1.0.spdx.json")))
    #expect(bill.spdxVersion == "SPDX-2.3" && bill.dataLicense == "CC0-1.0" && bill.id == "SPDXRef-DOCUMENT")
    #expect(bill.creationInfo.created == "2026-12-01T00:00:00Z")
    let identifiers = bill.packages.map(\.id)
    #expect(Set(identifiers).count == identifiers.count)
    for identifier in identifiers { #expect(identifier.wholeMatch(of: #/SPDXRef-[A-Za-z0-9.-]+/#) != nil) }
    for relation in bill.relationships {
      for end in [relation.spdxElementId, relation.relatedSpdxElement] {
        #expect(identifiers.contains(end) || end == bill.id, "\(end) is not in the bill")
      }
    }
    let names = Set(bill.packages.map(\.name))
    #expect(names.isSuperset(of: try Self.recommended().subtracting(Self.others)))
    #expect(names.isSuperset(of: ["b2c-run", "b2c-run-webview", "swift", "liblua5.4-0", "libsqlite3-0", "libc6"]))
  }

  private struct Bill: Decodable {
    struct Creation: Decodable { var created: String }
    struct Package: Decodable {
      enum CodingKeys: String, CodingKey {
        case id = "SPDXID"
        case name, versionInfo, downloadLocation, licenseConcluded
      }
      var id, name, versionInfo, downloadLocation, licenseConcluded: String
    }
    struct Relation: Decodable { var spdxElementId, relationshipType, relatedSpdxElement: String }
    enum CodingKeys: String, CodingKey {
      case id = "SPDXID"
      case spdxVersion, dataLicense, name, documentNamespace, creationInfo, packages, relationships
    }
    var id, spdxVersion, dataLicense, name, documentNamespace: String
    var creationInfo: Creation
    var packages: [Package]
    var relationships: [Relation]
  }

  /// The packages that the control file recommends or suggests.
  private static func recommended() throws -> Set<String> {
    let control = try String(
      contentsOf: Program.project.appending(path: "packaging/debian/control"), encoding: .utf8)
    return Set(
      control.matches(of: #/(?m)^(?:Recommends|Suggests):((?:.*\n)(?:[ \t].*\n)*)/#).flatMap { field in
        field.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      })
  }
}
