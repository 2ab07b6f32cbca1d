import Core
import HostLoop
import JSON
import Lua

/// The requests of the Debug Adapter Protocol.
extension DebugSession {
  private struct Refusal: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  private typealias Body = [String: JSON]

  func answer(_ request: JSON) {
    let command = request["command"]?.string ?? ""
    var response: Body = [
      "type": "response", "request_seq": request["seq"] ?? 0, "command": .string(command), "success": true,
    ]
    do {
      let body = try body(of: command, Arguments(json: request["arguments"] ?? [:]))
      response["body"] = .object(body)
    } catch {
      let message = (error as? Refusal)?.message ?? LuaError(error).message
      let hint = (error as? Refusal) == nil ? LuaError(error).hint.map { "; \($0)" } ?? "" : ""
      let text = OutputText(message + hint).text
      response["success"] = false
      response["message"] = .string(text)
      response["body"] = ["error": ["id": 1, "format": .string(text), "showUser": true]]
    }
    channel.send(response)
    afterwards(command, Arguments(json: request["arguments"] ?? [:]))
  }

  /// Acts on a request after the client has its answer.
  private func afterwards(_ command: String, _ arguments: Arguments) {
    switch command {
    case "initialize": channel.send(event: "initialized")
    case "configurationDone": configurationDone()
    case "launch": launch(arguments.launch)
    case "continue": goOn()
    case "next": goOn(makeStep(.over, arguments))
    case "stepIn": goOn(makeStep(.into, arguments))
    case "stepOut": goOn(makeStep(.out, arguments))
    case "pause": pause(arguments.number("threadId"))
    case "terminate": end()
    case "disconnect": if arguments.json["terminateDebuggee"]?.bool == false { detach() } else { end() }
    default: break
    }
  }

  private func body(of command: String, _ arguments: Arguments) throws -> Body {
    switch command {
    case "initialize": return Self.capabilities
    case "launch", "configurationDone", "pause", "terminate", "disconnect": return [:]
    case "attach": throw Refusal("attach is not supported: b2c-run debug SCRIPT starts the script itself; send launch")
    case "setBreakpoints": return try setBreakpoints(arguments)
    case "setFunctionBreakpoints":
      let answers = breakpoints.set(functions: arguments.list("breakpoints").compactMap { $0["name"]?.string })
      refreshWatch()
      return ["breakpoints": .array(answers)]
    case "setExceptionBreakpoints":
      let names = arguments.list("filters").compactMap(\.string)
      errors = names.reduce(into: []) { $0.formUnion($1 == "raised" ? [.raised, .uncaught] : [.uncaught]) }
      refreshWatch()
      return [:]
    case "threads": return ["threads": .array(threads)]
    case "continue":
      _ = try halted()
      return ["allThreadsContinued": true]
    case "next", "stepIn", "stepOut":
      _ = try halted()
      return [:]
    case "stackTrace": return try stackTrace(arguments)
    case "scopes": return try scopes(arguments)
    case "variables": return try variables(arguments)
    case "setVariable": return try setVariable(arguments)
    case "evaluate": return try evaluate(arguments)
    case "exceptionInfo": return try exceptionInfo()
    default: throw Refusal("the request '\(command)' is not supported")
    }
  }

  private static let capabilities: Body = [
    "supportsConfigurationDoneRequest": true, "supportsFunctionBreakpoints": true,
    "supportsConditionalBreakpoints": true, "supportsHitConditionalBreakpoints": true, "supportsLogPoints": true,
    "supportsEvaluateForHovers": true, "supportsSetVariable": true, "supportsExceptionInfoRequest": true,
    "supportsTerminateRequest": true, "supportTerminateDebuggee": true, "supportsDelayedStackTraceLoading": true,
    "exceptionBreakpointFilters": [
      ["filter": "uncaught", "label": "Errors that nothing catches", "default": true],
      ["filter": "raised", "label": "Errors that a pcall catches", "default": false],
    ],
  ]

  private func halted() throws -> DebugTarget {
    guard let target else { throw Refusal("the script has not begun yet") }
    guard halt != nil else { throw Refusal("the script is running; pause it first") }
    return target
  }

  private func frame(_ arguments: Arguments, _ target: DebugTarget) throws -> ScriptFrame {
    guard let frame = target.frame(arguments.number("frameId")) else {
      throw Refusal("there is no such frame any more: the script has gone on")
    }
    return frame
  }

  // MARK: Breakpoints and steps

  private func setBreakpoints(_ arguments: Arguments) throws -> Body {
    guard let path = arguments.json["source"]?["path"]?.string else {
      throw Refusal("setBreakpoints: expected the path of a file in 'source'")
    }
    let wanted = arguments.list("breakpoints")
    let lines = arguments.list("lines").map { JSON.object(["line": $0]) }
    let answers = breakpoints.set(wanted.isEmpty ? lines : wanted, in: DebugTarget.realPath(path))
    refreshWatch()
    return ["breakpoints": .array(answers)]
  }

  private func makeStep(_ kind: Step.Kind, _ arguments: Arguments) -> Step? {
    guard let target else { return nil }
    return Step(kind, from: arguments.number("threadId") ?? halt?.call ?? 0, in: target.state)
  }

  private func pause(_ thread: Int?) {
    guard halt == nil, let target else { return }
    let calls = Inspection(target.state).scriptCalls
    let waiting = calls.first { $0.number == thread } ?? calls.first
    if !Inspection(target.state).isRunningCode, let waiting, waiting.waitsFor != nil {
      return begin(Halt(reason: "pause", call: waiting.number, description: "waits for \(waiting.waitsFor ?? "")"))
    }
    next = Halt(reason: "pause", call: 0)
    refreshWatch()
  }

  // MARK: Stacks

  private var threads: [JSON] {
    let found = target?.threads ?? []
    let shown = found.isEmpty ? [(number: 1, name: "script")] : found
    return shown.map { ["id": .integer(Int64($0.number)), "name": .string(OutputText($0.name).text)] }
  }

  private func stackTrace(_ arguments: Arguments) throws -> Body {
    let target = try halted()
    let frames = target.frames(ofThread: arguments.number("threadId") ?? halt?.call ?? 0)
    let start = arguments.number("startFrame") ?? 0
    let levels = arguments.number("levels").flatMap { $0 > 0 ? $0 : nil } ?? frames.count
    let shown = frames.dropFirst(start).prefix(levels).map { json(of: $0, target) }
    return ["stackFrames": .array(Array(shown)), "totalFrames": .integer(Int64(frames.count))]
  }

  private func json(of frame: ScriptFrame, _ target: DebugTarget) -> JSON {
    var fields: Body = [
      "id": .integer(Int64(target.number(of: frame))), "name": .string(frame.name), "column": 1,
      "line": .integer(Int64(max(0, frame.line))),
    ]
    if let source = frame.source {
      var place: Body = ["name": .string(source.lastName)]
      if let path = target.path(of: source) { place["path"] = .string(path) }
      fields["source"] = .object(place)
    } else {
      fields["presentationHint"] = "subtle"
    }
    return .object(fields)
  }

  // MARK: Values

  private func scopes(_ arguments: Arguments) throws -> Body {
    let target = try halted()
    let frame = try frame(arguments, target)
    func scope(_ name: String, _ holder: ShownValues.Holder, isCostly: Bool = false) -> JSON {
      [
        "name": .string(name), "variablesReference": .integer(Int64(target.values.number(of: holder))),
        "expensive": .bool(isCostly),
      ]
    }
    var scopes = [scope("Locals", .locals(frame))]
    if !Inspection(target.state).upvalues(of: frame).isEmpty { scopes.append(scope("Upvalues", .upvalues(frame))) }
    scopes.append(scope("Globals", .globals(frame), isCostly: true))
    return ["scopes": .array(scopes)]
  }

  private func variables(_ arguments: Arguments) throws -> Body {
    let target = try halted()
    guard let holder = target.values.holder(arguments.number("variablesReference") ?? 0) else {
      throw Refusal("there is no such value any more: the script has gone on")
    }
    let found = try target.values.variables(
      of: holder, start: arguments.number("start") ?? 0, count: arguments.number("count").flatMap { $0 > 0 ? $0 : nil })
    return ["variables": .array(found)]
  }

  private func setVariable(_ arguments: Arguments) throws -> Body {
    let target = try halted()
    guard let holder = target.values.holder(arguments.number("variablesReference") ?? 0) else {
      throw Refusal("there is no such value any more: the script has gone on")
    }
    let name = arguments.json["name"]?.string ?? ""
    var frame: ScriptFrame?
    switch holder {
    case .locals(let place), .upvalues(let place), .globals(let place): frame = place
    default: break
    }
    let evaluation = FrameEvaluation(frame, in: target.state)
    let value = try evaluation.values(of: arguments.json["value"]?.string ?? "nil").first ?? .nil
    try target.set(name, in: holder, to: value)
    return target.values.fields(of: value)
  }

  private func evaluate(_ arguments: Arguments) throws -> Body {
    guard let target else { throw Refusal("the script has not begun yet") }
    let frame = arguments.number("frameId") == nil ? nil : try frame(arguments, target)
    let values = try FrameEvaluation(frame, in: target.state).values(of: arguments.json["expression"]?.string ?? "")
    var body = target.values.fields(of: values.first ?? .nil)
    body["value"] = nil
    body["result"] = .string(values.map(ShownValues.text).joined(separator: ", "))
    return body
  }

  private func exceptionInfo() throws -> Body {
    _ = try halted()
    guard let error = halt?.error else { throw Refusal("the script was not halted by an error") }
    let description = error.description + (error.hint.map { "\nhint: \($0)" } ?? "")
    var details: Body = [
      "message": .string(OutputText(error.message).text), "typeName": .string(error.code),
      "stackTrace": .string(OutputText(error.traceback ?? "").text),
    ]
    if let hint = error.hint { details["hint"] = .string(OutputText(hint).text) }
    return [
      "exceptionId": .string(error.code), "description": .string(OutputText(description).text),
      "breakMode": halt?.description == "error in a pcall" ? "always" : "unhandled", "details": .object(details),
    ]
  }
}

/// The arguments of a request.
private struct Arguments {
  let json: JSON

  func number(_ name: String) -> Int? { json[name]?.lenientInteger.map { Int($0) } }
  func list(_ name: String) -> [JSON] { json[name]?.array ?? [] }

  var launch: DebugSession.Launch {
    DebugSession.Launch(
      program: json["program"]?.string, arguments: list("args").compactMap(\.string),
      stopsOnEntry: json["stopOnEntry"]?.bool ?? false, isWithoutDebugging: json["noDebug"]?.bool ?? false)
  }
}
