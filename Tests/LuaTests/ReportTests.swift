import Glibc
import HostLoop
import Lua
import Testing

extension SignalTests {
  @HostActor @Suite("A report of where the coroutines stand")
  struct ReportTests {
    @Test("what each waits for, and the lines that led there")
    func waiting() async throws {
      var begun = 0
      let host = try Host(functions: [
        HostFunction("begun", "") { _ in
          begun += 1
          return []
        },
        .suspending("async.sleep", "", [Parameter("seconds", .number)]) { arguments in
          try await HostLoop.shared.sleep(seconds: arguments.number(0))
          return []
        },
        .suspending("http.get", "", [Parameter("url", .string)]) { _ in
          try await HostLoop.shared.sleep(seconds: 3600)
          return []
        },
      ])
      host.state.globals["sleep"] = host.state.globals["async.sleep"]
      host.state.globals["get"] = host.state.globals["http.get"]
      host.state.cleanMessage = { $0.replacing("hidden", with: "[secret]") }
      var texts: [String] = []
      host.state.onReport = { texts.append($0) }
      host.state.obey(signal: SIGUSR1)
      let scripts = [
        "local function work()\n  sleep(3600)\nend\nwork()", "\ncoroutine.wrap(function() sleep(3600.5) end)()",
        "forever()", "forever()", "pcall(get, 'https://me:pass@example.com/hidden/tasks?code=1#x')",
      ]
      var runs: [Task<Void, any Error>] = []
      for script in scripts {
        let function = try host.state.load(Array("begun() \(script)".utf8), name: "work.lua")
        runs.append(HostActor.task { _ = try await function.call() })
        while begun < runs.count { try await HostLoop.shared.sleep(seconds: 0) }
      }
      LuaState.ask(.report, bySignal: SIGUSR1)
      #expect(LuaState.reportIfAsked())
      #expect(LuaState.reportIfAsked())
      for run in runs { run.cancel() }
      for run in runs { _ = await run.result }
      #expect(
        texts == [
          """
          5 coroutines:
          - waits for async.sleep, 3600 s
              work.lua:2: in local 'work'
              work.lua:4: in main chunk
          - waits for async.sleep, 3600.5 s
              work.lua:2: in function <work.lua:2>
              work.lua:2: in main chunk
          - 2 times: waits for forever
              work.lua:1: in main chunk
          - waits for http.get https://example.com/[secret]/tasks
              work.lua:1: in main chunk
          """
        ])
      host.state.close()
    }

    @Test("also of a script that computes, which goes on", arguments: ["n = n + 1", "('x'):rep(100):find('.-.-y')"])
    func computing(work: String) async throws {
      let host = try Host(functions: [
        HostFunction("ask", "") { _ in
          LuaState.ask(.report, bySignal: SIGUSR1)
          return []
        }
      ])
      var texts: [String] = []
      host.state.onReport = { texts.append($0) }
      host.state.obey(signal: SIGUSR1)
      let script = """
        local n = 0
        coroutine.wrap(function()
          ask() for i = 1, 1000 do \(work) end
        end)()
        return 'done'
        """
      #expect(try await host.text(script) == "done")
      #expect(
        texts == [
          "1 coroutine:\n- runs\n    test.lua:3: in function <test.lua:2>\n    test.lua:2: in main chunk"
        ])
      host.state.close()
    }
  }
}
