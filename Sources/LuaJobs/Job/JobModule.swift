import Automation
package import HostLoop
import JSON
import Jobs
package import Lua
package import LuaKit
import Schedule

/// `b2c.job`, the function by which a script says that it is a job.
@HostActor
package struct JobModule {
  let context: ScriptContext
  /// The run that the script is.
  let session: @HostActor @Sendable () -> JobSession

  package init(_ context: ScriptContext, session: @escaping @HostActor @Sendable () -> JobSession) {
    self.context = context
    self.session = session
  }

  /// The function, for the documentation and for `b2c`.
  package var function: HostFunction {
    .suspending(
      "job",
      "Declares the script a job, which b2c-run serve runs. Call it once, before the script does anything else. "
        + "A script that a person starts continues, too.",
      [.options(Self.keys, required: true)],
      returns: [.init(.object("run"), "The run: its event, its state, and its steps.")],
      example: """
        local run = b2c.job {
          summary = "Counts its runs",
          on = { every = "15m" },
        }
        run.state.count = (run.state.count or 0) + 1
        """
    ) { [context, session] arguments in
      let session = session()
      guard session.declared == nil else {
        throw LuaError(
          code: "bad_job", message: "b2c.job: the script has called it already, at \(session.declared ?? "")",
          hint: "declare one job in a script")
      }
      session.declared = HostCall.current?.place ?? "an earlier line"
      var declaration = try context.json.json(arguments[0], at: "b2c.job")
      if session.link == nil { try HolidayFiles(context.session.permissions).read(in: &declaration) }
      _ = try JobDeclaration(declaration, zone: .local())
      if let found = session.onDeclaration {
        try await found(declaration)
        throw LuaError(code: JobSession.declaredCode, message: "the script has declared its job")
      }
      return [.object(LuaRun(session, context.json, context.session.permissions, arguments.state))]
    }
  }

  private static let trigger: [Parameter] = [
    .optional("every", .string, "An interval such as 15m. The interval counts from the first start of the host."),
    .optional("cron", .string, "Five fields of cron: minute, hour, day of the month, month, weekday; or @daily."),
    .optional("calendar", .table, "The fields year, month, day, weekday and time. All of them must match."),
    .optional("at", .string, "One time, such as 2027-01-31 18:00."),
    .optional(
      "except", .either([.string, .list(of: .string)]),
      "Days without due times: ics:FILE, a calendar beside the script, or a list of days such as 2027-12-25."),
    .optional("zone", .string, "The time zone of cron, calendar and at. If not given, the zone of the machine."),
    .optional("files", .string, "A pattern of files, such as inbox/*.csv. The event comes when a file is complete."),
    .optional("webhook", .string, "The path of requests that start the job."),
    .optional("secret", .string, "The name of the secret that signs the requests."),
    .optional("scheme", .choice(Trigger.Scheme.allCases.map(\.rawValue)), "How requests are signed."),
    .optional(
      "headers", .list(of: .string), "The names of more headers that the event has, such as x-shop-topic."),
    .optional("after", .string, "The name of a job, or * for all others. The event is the end of a run."),
    .optional("result", .choice(Trigger.Outcome.allCases.map(\.rawValue)), "The result that counts; ok if not given."),
    .optional("late_after", .string, "The time after which a run that has not ended well is late."),
    .optional(
      "account", .choice(Trigger.AccountChange.allCases.map(\.rawValue)), "A change of an account, or a failed renewal."
    ),
    .optional("start", .boolean, "The start of the host."),
  ]

  private static let keys: [Parameter] = [
    .optional("summary", .string, "The purpose of the job, in a sentence."),
    Parameter(
      "on", .either([.record(LuaRecord("trigger", "An event that starts a job.", trigger)), .list(of: .table)]),
      "The event that starts the job, or a list of events."),
    .optional(
      "overlap", .either([.choice(["skip", "queue", "restart"]), .table]),
      "The rule for an event that comes before a run has ended."),
    .optional(
      "catch_up", .choice(CatchUp.allCases.map(\.rawValue)),
      "The rule for due times that passed while the host was down; one if not given."),
    .optional("catch_up_within", .string, "The age up to which a due time is caught up."),
    .optional("group", .table, "name and at_most: the jobs with this name run at most so many runs at once."),
    .optional(
      "notify", .table,
      "on and to, or a list of such tables: failure, recovery, success or any, and an https address or ntfy:TOPIC."),
    .optional("spread", .string, "The longest offset of due times. The offset depends on the name of the job."),
    .optional("timeout", .string, "The longest time that a process of a run may take; 1h if not given."),
    .optional("retry", .table, "attempts, first, most, and on: the codes of errors that are tried again."),
    .optional("pause_after", .integer, "The failed runs in a row that pause the job; 10 if not given, 0 for never."),
    .optional(
      "interrupted", .choice(Interruption.allCases.map(\.rawValue)),
      "The rule for a run that the end of the machine cut off; report if not given."),
    .optional("keep", .table, "days and runs: how much history is kept."),
    .optional("args", .list(of: .string), "The arguments of the script."),
  ]
}
