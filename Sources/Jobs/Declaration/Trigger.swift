import Core
package import FilePatterns
import JSON
package import Schedule

/// An event that starts a job: an entry of `on`.
package enum Trigger: Sendable {
  case time(Schedule)
  case files(FilePattern)
  case webhook(Hook)
  case after(After)
  case account(AccountChange)
  case start

  /// A path at which other programs start a job.
  package struct Hook: Sendable, Equatable {
    package var path: String
    /// The name of the secret that signs requests; nil for the scheme `none`.
    package var secret: String?
    package var scheme: Scheme
    /// The headers that the event has beside those that are known to have no credentials.
    package var headers: [String] = []
    /// The path into the event of `overlap.key`.
    package var key: String?
  }

  package enum Scheme: String, Sendable, CaseIterable { case standard, github, stripe, none }

  /// The end of another job's run.
  package struct After: Sendable, Equatable {
    /// The name of the job; `*` for all others.
    package var job: String
    package var result: Outcome
    /// In milliseconds, for the outcome `late`.
    package var lateAfter: Int64?
  }

  package enum Outcome: String, Sendable, CaseIterable { case ok, failed, recovered, late, any }

  package enum AccountChange: String, Sendable, CaseIterable { case changed, failed }
}

extension Trigger {
  private static let kinds = ["every", "cron", "calendar", "at", "files", "webhook", "after", "account", "start"]

  /// - Parameter zone: the zone of a time that names none.
  init(_ value: JSON, at path: String, zone: Zone) throws(JobError) {
    var entries = try DeclarationReader(value, at: path)
    let given = Self.kinds.filter { value[$0] != nil }
    guard given.count == 1 else {
      let problem = given.isEmpty ? "expected an event" : "\(given.joined(separator: " and ")) are two events"
      let meant = (value.object ?? [:]).keys.sorted().lazy.compactMap { didYouMean($0, among: Self.kinds) }.first
      throw entries.failure(
        "", problem,
        hint: given.isEmpty ? meant ?? "one of \(Self.kinds.joined(separator: ", "))" : "give a list of two tables")
    }
    switch given[0] {
    case "files":
      do { self = .files(try FilePattern(try entries.text("files") ?? "")) } catch let problem as FilePattern.Problem {
        throw entries.failure("files", problem.message, hint: problem.hint)
      } catch let error as JobError { throw error } catch { throw entries.failure("files", "\(error)") }
    case "webhook": self = .webhook(try Self.hook(&entries))
    case "after": self = .after(try Self.after(&entries))
    case "account":
      let change: AccountChange? = try entries.choice("account")
      self = .account(change ?? .changed)
    case "start":
      guard try entries.flag("start") == true else { throw entries.failure("start", "expected true") }
      self = .start
    case let kind:
      self = .time(try Self.time(kind, &entries, zone))
      // The declaration reads it, since it is no part of the schedule.
      _ = entries.take(JobDeclaration.exceptKey)
    }
    try entries.end()
  }

  private static func hook(_ entries: inout DeclarationReader) throws(JobError) -> Hook {
    let path = try entries.text("webhook") ?? ""
    if let problem = WebhookPath.problem(path) { throw entries.failure("webhook", problem) }
    let secret = try entries.text("secret")
    let scheme: Scheme = try entries.choice("scheme") ?? .standard
    guard (secret == nil) == (scheme == .none) else {
      throw secret == nil
        ? entries.failure(
          "secret", "the scheme \(scheme.rawValue) needs the name of a secret",
          hint: "b2c-run secrets set NAME, or scheme = \"none\" for a path that everybody may call")
        : entries.failure("secret", "the scheme none has no secret", hint: "leave one of the two out")
    }
    return Hook(
      path: path, secret: secret, scheme: scheme, headers: try entries.texts("headers", most: 50, longest: 100) ?? [])
  }

  private static func after(_ entries: inout DeclarationReader) throws(JobError) -> After {
    let job = try entries.text("after") ?? ""
    guard !job.isEmpty else { throw entries.failure("after", "expected the name of a job, or \"*\"") }
    let result: Outcome = try entries.choice("result") ?? .ok
    let lateAfter = try entries.interval("late_after", atLeast: 1000)
    guard (lateAfter != nil) == (result == .late) else {
      throw entries.failure("late_after", "belongs to result = \"late\", and only to it")
    }
    return After(job: job, result: result, lateAfter: lateAfter)
  }

  private static func time(
    _ kind: String, _ entries: inout DeclarationReader, _ local: Zone
  ) throws(JobError) -> Schedule {
    if kind == "every" { return .every(try entries.interval("every", atLeast: 1000) ?? 1000) }
    var zone = local
    if let name = try entries.text("zone") {
      do { zone = try Zone(name) } catch { throw entries.failure("zone", error.message, hint: error.hint) }
    }
    do {
      switch kind {
      case "cron": return .cron(try CronExpression(try entries.text("cron") ?? ""), zone)
      case "at": return try .at(parsing: try entries.text("at") ?? "", in: zone)
      default:
        guard case .object(let fields)? = entries.take("calendar") else {
          throw entries.failure("calendar", "expected a table such as { weekday = \"mon\", time = \"09:30\" }")
        }
        var texts: [String: String] = [:]
        for (name, value) in fields {
          switch value {
          case .string(let text):
            guard text.utf8.count <= DeclarationReader.longestText else {
              throw entries.failure(
                "calendar.\(name.displayable.clipped(to: 60))",
                "a text has at most \(DeclarationReader.longestText) bytes here, got \(text.utf8.count)")
            }
            texts[name] = text
          case .integer(let number): texts[name] = String(number)
          default:
            throw entries.failure(
              "calendar.\(name.displayable.clipped(to: 60))", "expected a string or a number, got \(value.kind)")
          }
        }
        return .calendar(try CalendarRule(texts), zone)
      }
    } catch let error as ScheduleError {
      throw entries.failure(kind, error.message, hint: error.hint)
    } catch let error as JobError { throw error } catch {
      throw entries.failure(kind, "\(error)")
    }
  }

  /// True for events that come by the clock.
  package var isTimed: Bool { if case .time = self { true } else { false } }

  /// The event in a few words: `every 15m`, `files inbox/*.csv`.
  package var text: String {
    switch self {
    case .time(let schedule): schedule.text
    case .files(let pattern): "files \(pattern.text)"
    case .webhook(let hook): "webhook \(hook.path)"
    case .after(let after): "after \(after.job) (\(after.result.rawValue))"
    case .account(let change): "account \(change.rawValue)"
    case .start: "start"
    }
  }

  package var warnings: [String] { if case .time(let schedule) = self { schedule.warnings } else { [] } }
}
