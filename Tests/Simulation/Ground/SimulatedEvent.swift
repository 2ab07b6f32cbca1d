/// Something that happens in a simulation: an input, or a fault. A run is made of its seed and of its events alone.
package struct SimulatedEvent: Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable, CaseIterable {
    // Inputs.
    case request, command, reload
    // Ends of machines and processes.
    case kill
    case killAtWrite = "kill at a write"
    case powerCut = "power cut"
    case stop
    case processKill = "kill of a process"
    // The database.
    case outage
    case lostCommit = "commit without an answer"
    case undoneCommit = "commit that is undone"
    case conflict
    case slowDatabase = "slow database"
    // The clocks.
    case clockBack = "clock set back"
    case clockForward = "clock set forward"
    // The network.
    case lostAnswer = "lost answer"
    case lostRequest = "lost request"
    case tooMany = "too many requests"
    case serverError = "server error"
    case slowNetwork = "slow network"
    case edit = "edit by somebody else"
  }

  /// Milliseconds after the beginning.
  package let at: Int64
  package let kind: Kind
  /// The number of the machine, or of another thing that the event is about.
  package let subject: Int
  /// How long, how far or how many writes later.
  package let amount: Int64

  package init(at: Int64, _ kind: Kind, subject: Int = 0, amount: Int64 = 0) {
    (self.at, self.kind, self.subject, self.amount) = (at, kind, subject, amount)
  }

  package var description: String { "\(at) ms: \(kind.rawValue), subject \(subject), amount \(amount)" }
}
