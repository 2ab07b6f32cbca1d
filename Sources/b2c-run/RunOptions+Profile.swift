import Automation
import CommandLine
import Core
import Files
import HostLoop
import Lua
import Profile
import ScriptHost

extension RunOptions {
  /// Measures the script that `body` runs, if `--profile` asks for it, and writes the file also after an error.
  @HostActor
  func profiled(_ host: ScriptHost, _ console: Console, _ body: @HostActor () async throws -> Void) async throws {
    guard let path = record.profile else { return try await body() }
    // Before the run, which may be long: the person hears now of a file that cannot be written.
    let file = try AtomicFile(OutputPlace(path))
    let profiler = Profiler(of: host.state)
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    profiler.end()
    let report = ProfileReport(profiler, title: host.scriptName)
    try file.write(OutputText(path.isPagePath ? report.page : report.folded).text.utf8)
    try file.commit()
    console.log(.info, "wrote the profile \(path)")
    try result.get()
  }
}
