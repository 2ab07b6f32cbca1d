import Files
package import HostLoop
package import JSON
import JobLogs
package import Jobs

/// All that a run has printed, as far as this machine has it.
package struct RunLog: Sendable {
  package struct Part: Sendable {
    /// Nil where there is only one machine.
    package let machine: String?
    package let attempt: Int
    package let text: String
    /// True if the beginning is left out.
    package let isCut: Bool
  }

  /// The log of each machine that ran the run, in the order of the attempts.
  package private(set) var parts: [Part] = []
  /// The machines that alone have a part.
  package private(set) var missing: [String] = []
  private let run: RunRecord

  /// - Parameters:
  ///   - folder: the folder of the logs of this machine.
  ///   - own: the name of this machine; nil where there is only one.
  @HostActor
  package init(of run: RunRecord, _ store: JobStore, in folder: String, own: String?) async throws {
    self.run = run
    let text = LogReader.exists(run.id, in: folder) ? try LogReader(run: run.id, in: folder).rest() : nil
    guard let machine = run.machine else {
      if let text { parts = [Part(machine: nil, attempt: run.attempt, text: text, isCut: false)] }
      return
    }
    // Without a name, the folder is not that of one of the machines.
    var local = own == nil ? nil : text
    let stored = try await store.logs(of: run.id)
    for part in stored {
      if part.machine == own, let text = local {
        parts.append(Part(machine: own, attempt: part.attempt, text: text, isCut: false))
        local = nil
      } else if let text = part.text {
        parts.append(Part(machine: part.machine, attempt: part.attempt, text: text, isCut: part.isCut))
      } else {
        missing.append(part.machine)
      }
    }
    if let local { parts.append(Part(machine: own, attempt: run.attempt, text: local, isCut: false)) }
    let isStored = stored.contains { $0.machine == machine && $0.attempt >= run.attempt }
    if machine != own, !isStored || run.state == .started { missing.append(machine) }
  }

  /// The whole log as text, with a line before each part if there are several.
  package var text: String {
    guard parts.count + missing.count > 1 else { return parts.first?.text ?? "" }
    let notes = missing.map { "--- the log of an attempt is on the machine \($0) ---\n" }
    return (notes + parts.map { "--- \($0.title) ---\n\($0.text)" }).joined()
  }

  /// Why nothing can be shown; nil if something can.
  package func problem(hint: String?) -> JobError? {
    guard parts.isEmpty, let machine = missing.last else { return nil }
    return JobError(
      "no_log",
      run.state.isOpen
        ? "the run \(run.id) continues on the machine \(machine), which has its log until the run ends"
        : "the log of the run \(run.id) is on the machine \(machine), which ended before it stored the log", hint: hint)
  }

  package var json: JSON {
    [
      "log": .array(
        parts.map {
          .object([
            "machine": $0.machine.map { .string($0) } ?? .null, "attempt": .integer(Int64($0.attempt)),
            "text": .string($0.text), "cut": .bool($0.isCut),
          ])
        }), "missing": .array(missing.map { .string($0) }),
    ]
  }
}

extension RunLog.Part {
  /// `attempt 1, on the machine north; its last 64 KiB`
  package var title: String {
    let place = machine.map { ", on the machine \($0)" } ?? ""
    return "attempt \(attempt)\(place)\(isCut ? "; its last \(LogTail.most >> 10) KiB" : "")"
  }
}
