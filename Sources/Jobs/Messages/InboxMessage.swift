import JSON
import JobLogs

/// A message of one machine to another, by the table `inbox` of their database.
enum InboxMessage: Sendable {
  /// A checked request for a job, whose IDs are stored.
  case hook(job: String, event: JSON)
  /// A request for runs that wait.
  case wait(path: String, request: JSON)
  /// A command of a person, who waits for the answer.
  case command(JobCommand)
  /// A machine that drains tells of a process.
  case process(ProcessNews)
  /// A process of a machine that drains has to end.
  /// - Parameter owner: the machine with its session. A later session of it may have another process of the run. Nil from a
  ///   machine of version 1.0.
  case stop(run: Int64, of: String, owner: String?, kill: Bool)

  /// Throws an error for a message that this version does not know.
  init(_ row: JobStore.Message) throws(JobError) {
    switch row.kind {
    case .hook: self = .hook(job: row.job, event: row.content)
    case .wait: self = .wait(path: row.job, request: row.content)
    case .command: self = .command(try JobCommand(row.content))
    case .process: self = .process(try ProcessNews(row.content))
    case .stop:
      self = .stop(
        run: try MessageReader(row.content).number("run"), of: row.job, owner: row.content["owner"]?.string,
        kill: row.content["kill"] == true)
    }
  }

  /// The columns of the row.
  fileprivate var columns: (kind: JobStore.Message.Kind, job: String, content: JSON) {
    switch self {
    case .hook(let job, let event): (.hook, job, event)
    case .wait(let path, let request): (.wait, path, request)
    case .command(let command): (.command, command.job ?? "", command.json)
    case .process(let news): (.process, "", news.json)
    case .stop(let run, let job, let owner, let kill):
      (.stop, job, ["run": .integer(run), "owner": owner.map { .string($0) } ?? .null, "kill": .bool(kill)])
    }
  }
}

extension JobStore.Message {
  /// - Parameters:
  ///   - machine: the sender; for `stop` the machine that has the process.
  ///   - received: the time at which the sender received it, in milliseconds since 1970.
  init(_ message: InboxMessage, machine: String, received: Int64) {
    let (kind, job, content) = message.columns
    self.init(kind: kind, job: job, content: content, machine: machine, received: received)
  }
}

/// News of a process on a machine that drains, for the machine that plans.
struct ProcessNews: Sendable {
  enum Content: Sendable {
    /// The notes of the machine that planned before, for `JobModel.ProcessNotes`.
    case notes(JSON)
    /// - Parameter isShutdown: true if the time to drain was over.
    case ended(ProcessEnd, log: LogTail?, isShutdown: Bool)
    case said(RunMessage)
  }

  let run: Int64
  /// The machine that has the process, with its session.
  let owner: String
  /// Counts the news of a machine. News whose commit got lost may come twice.
  let number: Int64
  let content: Content

  init(run: Int64, owner: String, number: Int64, _ content: Content) {
    (self.run, self.owner, self.number, self.content) = (run, owner, number, content)
  }

  /// Throws `bad_message` for news that this version does not know.
  init(_ json: JSON) throws(JobError) {
    let message = MessageReader(json)
    run = try message.number("run")
    owner = try message.text("owner")
    number = json["number"]?.lenientInteger ?? 0
    if let notes = json["notes"] {
      content = .notes(notes)
    } else if let end = ProcessEnd(json["end"]) {
      let log = json["log"]?.string.map { LogTail(text: $0, isCut: json["cut"] == true) }
      content = .ended(end, log: log, isShutdown: json["shutdown"] == true)
    } else {
      content = .said(try RunMessage(message.json("message")))
    }
  }

  var json: JSON {
    var members: [String: JSON] = ["run": .integer(run), "owner": .string(owner), "number": .integer(number)]
    switch content {
    case .notes(let notes): members["notes"] = notes
    case .said(let message): members["message"] = message.json
    case .ended(let end, let log, let isShutdown):
      members["end"] = end.json
      if isShutdown { members["shutdown"] = true }
      if let log { (members["log"], members["cut"]) = (.string(log.text), .bool(log.isCut)) }
    }
    return .object(members)
  }
}

/// An order of the machine that plans to one that drains.
enum ProcessOrder: Sendable {
  case stop(run: Int64, kill: Bool)
  /// - Parameter number: that of the news.
  case reply(run: Int64, number: Int64, RunReply)
}
