package import JSON
package import JobCode

/// A message of a run's process to its job host.
package enum RunMessage: Sendable {
  /// The new value of `run.state`.
  case state(JSON)
  /// The result of a step. `number` counts the steps of this name, from 1.
  case step(name: String, number: Int, result: JSON)
  /// The code of the run: its script and the modules that it has loaded. It comes before the steps that depend on it.
  case code(RunCode)
  /// The process ends now. The run continues at this time, in milliseconds since 1970.
  case sleep(until: Int64)
  /// The process ends now. The run continues with the event, whose data are the result of the step, or at `until` without it.
  case wait(RunWait, step: String, number: Int, until: Int64?)
  /// The run has attached a file.
  /// - Parameter isQuiet: true if the process does not wait for the reply.
  case attach(path: String, title: String, digest: String, isQuiet: Bool)
  /// The progress of the run, for pages.
  case progress(JSON)
  /// The error that ends the script.
  case error(RunError)
  /// An account has changed, or its renewal has failed.
  case account(change: String, event: JSON)

  /// True if the process waits for the reply.
  var isAnswered: Bool {
    switch self {
    case .state, .step, .sleep, .wait: true
    case .attach(_, _, _, let isQuiet): !isQuiet
    case .progress, .error, .account, .code: false
    }
  }

  /// Throws `bad_message` for a message that this version does not know, and for one without a member that it needs.
  package init(_ json: JSON) throws(JobError) {
    let message = MessageReader(json)
    switch message.name {
    case "state": self = .state(try message.json("value"))
    case "step":
      self = .step(
        name: try message.text("name"), number: Int(clamping: try message.number("number")),
        result: json["result"] ?? .null)
    case "code": self = .code(try message.code("files"))
    case "sleep": self = .sleep(until: try message.number("until"))
    case "wait":
      self = .wait(
        try message.wait("path"), step: try message.text("name"),
        number: Int(clamping: try message.number("number")), until: json["until"]?.lenientInteger)
    case "attach":
      let path = try message.text("path")
      self = .attach(
        path: path, title: json["title"]?.string ?? path, digest: try message.text("digest"),
        isQuiet: json["quiet"] == true)
    case "progress": self = .progress(try message.json("value"))
    case "error": self = .error(try message.error("error"))
    case "account": self = .account(change: try message.text("change"), event: json["event"] ?? .object([:]))
    default: throw message.unknown
    }
  }

  package var json: JSON {
    switch self {
    case .state(let value): ["op": "state", "value": value]
    case .step(let name, let number, let result):
      ["op": "step", "name": .string(name), "number": .integer(Int64(number)), "result": result]
    case .code(let code): ["op": "code", "files": code.json]
    case .sleep(let until): ["op": "sleep", "until": .integer(until)]
    case .wait(let wait, let step, let number, let until):
      .object(
        [
          "op": "wait", "name": .string(step), "number": .integer(Int64(number)),
          "until": until.map { .integer($0) } ?? .null,
        ].merging(wait.members) { $1 })
    case .attach(let path, let title, let digest, let isQuiet):
      .object(
        ["op": "attach", "path": .string(path), "title": .string(title), "digest": .string(digest)]
          .merging(isQuiet ? ["quiet": true] : [:]) { $1 })
    case .progress(let value): ["op": "progress", "value": value]
    case .error(let error): ["op": "error", "error": error.json]
    case .account(let change, let event): ["op": "account", "change": .string(change), "event": event]
    }
  }
}

/// A message of a process that reads the declaration of a script.
package enum DeclarationMessage: Sendable {
  /// The table given to `b2c.job`.
  case declared(JSON)
  /// The error that ended the script.
  case failed(RunError)
  /// The script ended without a declaration.
  case none

  /// Throws `bad_message` for a message that this version does not know.
  package init(_ json: JSON) throws(JobError) {
    let message = MessageReader(json)
    switch message.name {
    case "declare": self = .declared(json["value"] ?? .null)
    case "error": self = .failed(try message.error("error"))
    case "none": self = .none
    default: throw message.unknown
    }
  }

  package var json: JSON {
    switch self {
    case .declared(let value): ["op": "declare", "value": value]
    case .failed(let error): RunMessage.error(error).json
    case .none: ["op": "none"]
    }
  }
}

/// A message of a job host to one of its processes.
package enum RunReply: Sendable {
  /// The script may begin.
  case go
  /// The oldest message that waits for a reply is on the disk.
  case stored
  /// The oldest message that waits for a reply could not be stored.
  case failed(RunError)
  /// The next script whose declaration the host wants.
  case script(String)

  /// Throws `bad_message` for a message that this version does not know.
  package init(_ json: JSON) throws(JobError) {
    if let error = RunError(json["error"]) {
      self = .failed(error)
    } else if let path = json["script"]?.string {
      self = .script(path)
    } else if json["go"] == true {
      self = .go
    } else if json["ok"] == true {
      self = .stored
    } else {
      throw MessageReader(json).unknown
    }
  }

  package var json: JSON {
    switch self {
    case .go: ["go": true]
    case .stored: ["ok": true]
    case .failed(let error): ["error": error.json]
    case .script(let path): ["script": .string(path)]
    }
  }
}
