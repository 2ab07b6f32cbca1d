import Automation
import Core
import Files
import HostLoop
import JSON
import JobConditions
import JobProcesses
import Jobs
package import Lua
import LuaKit
import Permissions
import Schedule

/// `run`, which `b2c.job` returns.
package final class LuaRun: LuaObject {
  /// The most bytes of `run.state` and of the result of a step, as JSON.
  private static let most = 1 << 20
  /// A longer sleep ends the process. The host starts the run again.
  private static let longestWait: Int64 = 60_000

  private let session: JobSession
  private let json: JSONMarshal
  private let permissions: Permissions
  private var state: LuaValue
  private let event: LuaTable

  init(_ session: JobSession, _ json: JSONMarshal, _ permissions: Permissions, _ lua: LuaState) {
    self.permissions = permissions
    self.session = session
    self.json = json
    // As tables, which stay the same each time the script looks at them.
    state = .table(lua.makeTable(json.value(session.state == .array([]) ? .object([:]) : session.state)))
    event = lua.makeTable(json.value(session.event, keepsBytes: true))
    Self.addReader(to: event, session.event, json, lua)
    session.save = { [weak self] in try await self?.save() }
  }

  /// Gives a received request the function `json`, which reads its body.
  private static func addReader(to table: LuaTable, _ request: JSON, _ json: JSONMarshal, _ lua: LuaState) {
    guard request["body"]?.string != nil else { return }
    let read = HostFunction("event.json", "Reads the body as JSON.", [], returns: [.init(.any, "The value.")]) { _ in
      [json.optional(try ReceivedBody.json(of: request))]
    }
    table["json"] = .function(lua.function(read))
  }

  private func save() async throws {
    let value = try json.json(state, at: "run.state")
    let size = value.encoded().utf8.count
    guard size <= Self.most else {
      throw LuaError(
        code: "state_too_large", message: "run.state: \(size) bytes are more than \(Self.most)",
        hint: "keep large data in a file")
    }
    try await session.link?.ask(.state(value))
  }

  private func step(_ name: String, _ function: LuaFunction) async throws -> LuaValue {
    let (number, stored) = session.nextStep(name)
    if let stored { return json.optional(stored) }
    let result = try await function.call([]).first ?? .nil
    let value = try json.json(result, at: "the result of the step '\(name)'")
    guard value.encoded().utf8.count <= Self.most else {
      throw LuaError(
        code: "step_too_large", message: "the result of the step '\(name)' is larger than \(Self.most) bytes")
    }
    try await session.store(value, of: name, number)
    return result
  }

  private func sleep(until given: Int64) async throws {
    // A later try comes here again, and waits for the same moment.
    let (number, stored) = session.nextStep("run.sleep")
    let until = stored?.lenientInteger ?? given
    if stored == nil { try await session.store(.integer(until), of: "run.sleep", number) }
    let clock = MachineClock()
    let rest = until - clock.now.wall
    guard rest > 0 else { return }
    if let link = session.link, rest > Self.longestWait {
      try await link.ask(.sleep(until: until))
      try await session.endProcess()
    }
    try await HostLoop.shared.sleep(seconds: Double(rest) / 1000)
  }

  private func wait(for event: RunWait, timeout: Int64?, _ lua: LuaState) async throws -> [LuaValue] {
    let (number, stored) = session.nextStep("run.wait_for")
    if let stored {
      // Null stands for a wait whose time was over.
      guard stored != .null else { return [.nil, .string("timeout")] }
      if stored["approved"] == false { return [.nil, .string("declined")] }
      let answer = lua.makeTable(json.value(stored, keepsBytes: true))
      Self.addReader(to: answer, stored, json, lua)
      return [.table(answer)]
    }
    guard let link = session.link else {
      let takes = if case .approval = event { "asks for approvals" } else { "receives requests" }
      throw LuaError(
        code: "no_host", message: "run.wait_for: only a job host \(takes)",
        hint: "run the job with b2c-run serve, or b2c-run jobs run \(session.name)")
    }
    let until = timeout.map { MachineClock().now.wall + $0 }
    try await session.wait(for: event, step: number, until: until, link)
    return []
  }

  package static let luaType = HostType(
    "run", "A run of a job.",
    properties: [
      property("id", .integer, "The number of the run; 0 for a script that a person started.") {
        .integer($0.session.id)
      },
      property("job", .string, "The name of the job.") { .string($0.session.name) },
      property("attempt", .integer, "The number of this try, from 1.") { .integer(Int64($0.session.attempt)) },
      property("event", .table, "The event: its kind, and what belongs to the kind.") { .table($0.event) },
      HostType.Property(
        "state", .table, "A table of JSON values that the next run gets. It is kept when the run ends well.",
        of: LuaRun.self, set: { run, value, _ in run.state = value }, { run, _ in run.state }),
    ],
    methods: [
      suspending(
        "run.step",
        "Calls a function once, and stores its result. A later try of the run gets the stored result instead of a call.",
        [
          Parameter("name", .string, "The name of the step. Steps of one name are told apart by their order."),
          Parameter("f", .function, "The function. Its first result must be a JSON value."),
        ], returns: [.init(.any, "The result.")]
      ) { run, arguments in
        guard let function = arguments[1].function else { return [] }
        // Before the function does something that nobody could store.
        if let problem = StoredName.problem(arguments.string(0)) {
          throw arguments.failure("argument 1: the name of the step \(problem)")
        }
        return [try await run.step(arguments.string(0), function)]
      },
      suspending(
        "run.sleep",
        "Waits. During a longer wait no process runs: the script begins again, and its steps have results.",
        [Parameter("time", .either([.string, .number]), "The time, such as 2d, or a number of seconds.")]
      ) { run, arguments in
        let milliseconds: Int64
        if let seconds = arguments[0].number {
          guard seconds >= 0, seconds < 3e9 else {
            throw arguments.failure("argument 1: expected zero or more seconds")
          }
          milliseconds = Int64(seconds * 1000)
        } else {
          milliseconds = try interval(arguments.string(0), "argument 1", arguments)
        }
        try await run.sleep(until: MachineClock().now.wall + milliseconds)
        return []
      },
      suspending(
        "run.sleep_until", "Waits until a time, as run.sleep does.",
        [Parameter("time", .either([.string, .number]), "A time such as 2027-01-31 18:00, or seconds since 1970.")]
      ) { run, arguments in
        if let seconds = arguments[0].number {
          try await run.sleep(until: Int64(max(0, min(seconds, 1e12)) * 1000))
          return []
        }
        do {
          let schedule = try Schedule.at(parsing: arguments.string(0), in: .local())
          if let time = schedule.next(after: 0, anchor: 0) { try await run.sleep(until: time) }
        } catch let error as ScheduleError {
          throw arguments.failure("argument 1: \(error.message)", hint: error.hint)
        }
        return []
      },
      suspending(
        "run.wait_for",
        "Waits for a request, or for a person who approves at the pages of the host. No process runs meanwhile.",
        [
          .options(WaitOptions.keys, required: true)
        ],
        returns: [
          .init(
            .table, optional: true,
            "The request: method, path, query, headers, body. Or the approval: approved, and by, the name of the person who "
              + "has signed in. Nil if none came."),
          .init(.string, optional: true, "Why none came: timeout or declined."),
        ]
      ) { run, arguments in
        let options = try WaitOptions(arguments)
        return try await run.wait(for: options.event(arguments), timeout: options.timeout, arguments.state)
      },
      suspending("run.save", "Keeps run.state now, also if the run fails later.", []) { run, _ in
        try await run.save()
        return []
      },
      immediate(
        "run.progress", "Shows how far the run is.",
        [
          Parameter("done", .number, "The amount done."), .optional("total", .number, "The amount in all."),
          .optional("text", .string, "The work that the run does."),
        ]
      ) { run, arguments in
        run.session.link?.tell(
          .progress([
            "done": .number(arguments.number(0)), "total": arguments[1].number.map { .number($0) } ?? .null,
            "text": arguments[2].string.map { .string(JobSession.clipped(Redaction.forScripts($0), to: 1000)) }
              ?? .null,
          ]))
        return []
      },
      suspending(
        "run.attach", "Attaches a file to the run, for the page and the history.",
        [
          Parameter("path", .string, "The path of the file."),
          .optional("title", .string, "The title; the path if not given."),
        ]
      ) { run, arguments in
        let path = arguments.path(0)
        // The page shows the file to whoever looks at the run.
        let file = try run.permissions.check(path.pathBytes, .read, by: "run.attach")
        let content: [UInt8]
        do throws(FileFailure) { content = try file.open(.reading).contents(limit: JobStore.Attachment.most) } catch {
          throw arguments.failure("argument 1: cannot read \(path): \(error.reason)")
        }
        let real = file.isUnrestricted ? FileSystem.realPath(path) ?? path : file.path.text
        let title = arguments[1].path ?? path
        for (number, text) in [(1, real), (2, title)] {
          guard let problem = StoredName.problem(text) else { continue }
          throw arguments.failure("argument \(number): \(number == 1 ? "the path" : "the title") \(problem)")
        }
        try await run.session.link?.ask(JobSession.attachment(real, title, content))
        return []
      },
    ],
    describe: { ($0 as? LuaRun).map { "of \($0.session.name)" } ?? "" })

  private struct WaitOptions: LuaOptions {
    var path: String?
    var approval: String?
    var timeout: Int64?

    static let fields: [Field] = [
      .init("webhook", \.path, .string, "The path of the request, which the host receives at --hooks.") {
        value, place in
        let path = value.string ?? ""
        if let problem = WebhookPath.problem(path) { throw place.failure(problem) }
        return path
      },
      .init(
        "approval", \.approval, .string,
        "A question for a person. The page of the run shows it with the buttons Approve and Decline; b2c-run jobs "
          + "approve RUN approves, too."
      ) { value, place in
        let text = value.string ?? ""
        if let problem = RunWait.approval(text).problem { throw place.failure(problem) }
        return text
      },
      .init("timeout", \.timeout, .string, "The longest wait, such as 3d.") { value, place in
        try interval(value.string ?? "", "option 'timeout'", place.arguments)
      },
    ]

    func event(_ arguments: Arguments) throws -> RunWait {
      switch (path, approval) {
      case (let path?, nil): return .request(path: path)
      case (nil, let text?): return .approval(text)
      default:
        throw arguments.failure(
          "expected one of the options webhook and approval", hint: "run.wait_for { approval = \"Pay the bill?\" }")
      }
    }
  }

  private static func interval(_ text: String, _ place: String, _ arguments: Arguments) throws -> Int64 {
    do { return try Interval.milliseconds(of: text) } catch {
      throw arguments.failure("\(place): \(error.message)", hint: error.hint)
    }
  }

  private static func suspending(
    _ name: String, _ doc: String, _ parameters: [Parameter], returns results: [HostFunction.Result] = [],
    _ body: @escaping @HostActor @Sendable (LuaRun, Arguments) async throws -> [LuaValue]
  ) -> HostFunction {
    .suspending(name, doc, parameters, returns: results) { try await body(try of($0), $0) }
  }

  private static func immediate(
    _ name: String, _ doc: String, _ parameters: [Parameter],
    _ body: @escaping @HostActor @Sendable (LuaRun, Arguments) throws -> [LuaValue]
  ) -> HostFunction {
    HostFunction(name, doc, parameters) { try body(try of($0), $0) }
  }

  private static func of(_ arguments: Arguments) throws -> LuaRun {
    guard let run = arguments.receiver as? LuaRun else { throw arguments.failure("there is no run") }
    return run
  }
}
