import Conform
import Files
import HostLoop
import Testing

@testable import ConformClient

/// The program under test: its placeholders, its processes and the explanation of a sign-in that does not work.
@HostActor @Suite struct ProgramTests {
  @Test func replacesKnownPlaceholdersOnly() {
    let values = ProgramValues(values: [("issuer", "http://a"), ("client_id", "1")])
    #expect(values.fill("{issuer}/x {client_id} {other} {\"a\": {issuer}}") == "http://a/x 1 {other} {\"a\": http://a}")
    #expect(values.variables["CONFORM_CLIENT_ID"] == "1")
  }

  @Test func endsAProgramWithItsChildren() async throws {
    let process = try ProgramProcess(
      "/bin/sh", ["-c", "trap '' TERM; sleep 60 & echo $!; wait"], environment: ["PATH": "/usr/bin:/bin"], in: "/")
    while !process.output.hasSuffix("\n") { try await HostLoop.shared.sleep(seconds: 0.01) }
    try await process.stop()
    #expect(process.end == .signal(9))
    let child = process.output.filter(\.isNumber)
    while FileSystem.exists("/proc/\(child)/exe") { try await HostLoop.shared.sleep(seconds: 0.01) }
  }

  @Test func endsDescendantsThatHaveLeftTheSession() async throws {
    let other = try ProgramProcess("/bin/sleep", ["60"], environment: [:], in: "/")
    let process = try ProgramProcess(
      "/bin/sh", ["-c", "setsid sleep 60 & (setsid sh -c 'sleep 60 & echo $!; echo $$; wait' &); echo $!; wait"],
      environment: ["PATH": "/usr/bin:/bin"], in: "/")
    while process.output.count(where: \.isNewline) < 3 { try await HostLoop.shared.sleep(seconds: 0.01) }
    try await process.stop()
    for child in process.output.split(separator: "\n") { #expect(!FileSystem.exists("/proc/\(child)/exe"), "\(child)") }
    #expect(!other.isOver)
    try await other.stop()
  }

  @Test func keepsTheOutputAndTheStatus() async throws {
    let process = try ProgramProcess("/bin/sh", ["-c", "echo out; echo err >&2; exit 7"], environment: [:], in: "/")
    while !process.isOver { try await HostLoop.shared.sleep(seconds: 0.01) }
    try await process.stop()
    #expect(process.end == .status(7))
  }

  @Test func aProgramThatDoesNothingIsNotSignedIn() async throws {
    let settings = ProgramSettings(words: ["true"], folder: "/", environment: ["PATH": "/usr/bin:/bin"])
    let conform = try ClientConform(settings, ClientCheck.all, concurrency: 1)
    let result = try await conform.run("true") { _, _ in }
    #expect(result.end == .signInFailed)
    let problem = try #require(result.signInProblem)
    #expect(problem.contains("The program sent no request to the tenant."))
    #expect(problem.contains("The program is expected to do this:"))
  }

  @Test func anAPIThatIsNotThereIsNotJudged() async throws {
    var settings = APIUnderTest.Settings(url: "http://127.0.0.1:9/tasks")
    settings.timeout = 0.1
    var trust = ""
    let conform = APIConform(settings, program: nil, APICheck.all, port: 0) { trust = $0 }
    let result = try await conform.run { _, _ in }
    #expect(result.end == .signInFailed)
    #expect(trust.contains("/v2.0/.well-known/openid-configuration"))
  }
}
