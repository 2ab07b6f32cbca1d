import CommandLineSupport
import Foundation
import Testing

@Suite("A library that cannot be loaded is named, with its package")
struct MissingLibraryTests {
  @Test(
    "by doctor",
    arguments: [
      ("libqrencode.so.4", "warning terminal     addresses are shown without a QR code: libqrencode ", "libqrencode4"),
      ("libcurl.so.4", "FAILED  metadata     the metadata document could not be reached: libcurl ", "libcurl4"),
      ("libjose.so.0", "libjose ", "libjose0"),
      ("libxml2.so.2", "FAILED  settings     settings.plist: libxml2 ", "libxml2"),
      (
        "libmicrohttpd.so.12", "FAILED  redirect     the browser cannot come back to this machine: libmicrohttpd ",
        "libmicrohttpd12"
      ),
    ])
  func doctor(file: String, beginning: String, package: String) throws {
    let tenant = try RunningTenant()
    let result = try run(["--set", "bhh=http://localhost/signed-in", "doctor"], without: file, in: tenant.program)
    try expect(result, tells: beginning, without: file, package: package, in: tenant.program)
  }

  @Test(
    "by the tenant",
    arguments: [
      ("libmicrohttpd.so.12", ["tenant"], "b2c-run: libmicrohttpd ", "libmicrohttpd12"),
      ("libgnutls.so.30", ["tenant", "--tls"], "b2c-run: GnuTLS ", "libgnutls30"),
    ])
  func tenant(file: String, arguments: [String], beginning: String, package: String) throws {
    let program = try Program()
    let result = try run(arguments, without: file, in: program)
    #expect(result.status == 1)
    #expect(result.output == "")
    try expect(result, tells: beginning, without: file, package: package, in: program)
  }

  @Test("by the first page of a sign-in, where the settings needed none")
  func page() throws {
    let tenant = try RunningTenant()
    let program = tenant.program
    let converted = try PropertyListSerialization.data(
      fromPropertyList: PropertyListSerialization.propertyList(from: Data(tenant.settings.utf8), format: nil),
      format: .binary, options: 0)
    try converted.write(to: program.folder.appending(path: "settings.plist"))
    let script = #"b2c.accounts.sign_in { agent = "headless", username = "alice", password = "Wonderland-1" }"#
    let result = try run(["-e", script], without: "libxml2.so.2", in: program)
    #expect(result.status == 1)
    #expect(result.errors.contains("libxml2 cannot be loaded: "), "\(result)")
    #expect(result.errors.contains("hint: install the package libxml2\n"), "\(result)")
  }

  /// One that is nothing of the kind stands for one that is not there.
  private func run(_ arguments: [String], without file: String, in program: Program) throws -> Program.Result {
    try program.write("libraries/\(file)", "none")
    let folder = program.folder.appending(path: "libraries").path
    return try program.run(list: arguments, environment: ["LD_LIBRARY_PATH": folder])
  }

  private func expect(
    _ result: Program.Result, tells beginning: String, without file: String, package: String, in program: Program
  ) throws {
    let text = result.output + result.errors
    let lines = text.split(separator: "\n")
    let path = program.folder.appending(path: "libraries/\(file)").path
    #expect(lines.contains { $0.hasPrefix("\(beginning)cannot be loaded: \(path): ") }, "\(result)")
    #expect(lines.contains { $0.hasSuffix(" install the package \(package)") }, "\(result)")
    #expect(!text.contains("Fatal error"))
  }
}
