import HostLoop
import Lua
import Testing

@HostActor @Suite("The memory limit")
struct MemoryTests {
  @Test(arguments: [
    "local ok, e = pcall(string.rep, 'x', 1 << 30) return ok, e",
    "local ok, e = pcall(function() local t = {} for i = 1, 1e9 do t[i] = {i} end end) return ok, e",
    "local ok, e = pcall(function() local s = 'x' while true do s = s .. s end end) return ok, e",
    "local ok, e = pcall(function() for i = 1, 1e9 do keep[#keep + 1] = make() end end) return ok, e",
  ])
  func catchable(script: String) async throws {
    let host = try Host(
      memoryLimit: 32 << 20,
      functions: [HostFunction("make", "") { _ in [.bytes([UInt8](repeating: 65, count: 1 << 20))] }])
    try await host.run("keep = {}")
    #expect(try await host.text(script) == "false not enough memory")
    try await host.run("keep = nil")
    #expect(try await host.text("return echo('still alive')") == "still alive")
  }

  @Test func uncaught() async throws {
    let error = try await Host(memoryLimit: 16 << 20).error("return ('x'):rep(1 << 30)")
    #expect(error.message == "not enough memory")
  }
}
