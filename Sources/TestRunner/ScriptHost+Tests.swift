import Automation
import CommandLine
import Files
import HostLoop
import JSON
import Lua
package import LuaJobs
import LuaKit
package import ScriptHost

extension ScriptHost {
  /// Runs the test file, which declares its tests in `plan`. The functions of tests are there for the file, not for the
  /// scripts that it loads: those must work without them.
  package func declareTests(_ source: [UInt8], path: String, in plan: TestPlan, stopSignal: Int32) async throws {
    defer { plan.close() }
    let folder = GivenFiles.folder(ofScript: path)
    plan.onRunScript = { [unowned self] arguments in
      try await TestedScript(arguments, folder: folder, stopSignal: stopSignal, of: self).run()
    }
    plan.onJobs = { [unowned self] arguments in
      .object(
        try await LuaSimulation(arguments, folder: folder, permissions) { [unowned self] in
          try await jobDeclaration(of: $0, $1, stopSignal)
        })
    }
    try await run(source, path: path) { [self] script, api in
      let names = state.makeTable()
      let test = state.makeTable()
      names["test"] = .table(test)
      for function in plan.functions {
        let owner = function.name == function.shortName ? names : test
        owner[function.shortName] = .function(state.function(function))
      }
      names["b2c"] = .table(api)
      let fallback = state.makeTable()
      fallback["__index"] = .table(api)
      names.metatable = fallback
      let environment = try await state.load(Array(environment.utf8), name: "environment.lua").call([.table(names)])
      if let table = environment.first?.table { script.setEnvironment(table) }
      state.replaceExit { arguments in
        let status = arguments[0].isNil ? "" : arguments.state.text(of: arguments[0])
        return LuaError(code: "exit", message: "os.exit(\(status)) was called, which would have ended the tests")
      }
    }
  }

  /// Runs a script in a new state until it declares its job.
  private func jobDeclaration(of source: [UInt8], _ path: String, _ stopSignal: Int32) async throws -> JSON {
    var configuration = configuration
    configuration.session.events = nil
    configuration.mayAsk = false
    let script = try ScriptHost(
      configuration, console: Console(isForScript: true) { _ in }, tenant: tenant)
    defer { script.close() }
    script.state.obey(signal: stopSignal)
    var found: JSON?
    script.jobSession = JobSession(nil, script: path) { found = $0 }
    do {
      try await script.run(GivenFiles.withoutInterpreterLine(source), path: path)
    } catch let error as LuaError where error.code == JobSession.declaredCode {}
    guard let found else {
      throw LuaError(
        code: "bad_job", message: "\(path): the script ended without a call of b2c.job", hint: "call b2c.job first")
    }
    return found
  }
}

extension LuaState {
  /// Has `os.exit` raise an error, in place of ending the process.
  func replaceExit(by error: @escaping @HostActor @Sendable (Arguments) -> LuaError) {
    let exit = HostFunction("os.exit", "", [.any("status"), .any("close")]) { throw error($0) }
    globals["os"].table?["exit"] = .function(function(exit))
  }
}

/// Looks names up in the globals first, then among the functions of tests.
private let environment = """
  local names, globals = ..., _G
  return setmetatable({}, {
    __index = function(_, name)
      local value = globals[name]
      if value == nil then return names[name] end
      return value
    end,
    __newindex = globals,
  })
  """
