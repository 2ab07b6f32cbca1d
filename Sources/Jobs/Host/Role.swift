import Databases
import HostLoop

/// The part of this machine in the jobs: `loading` at first, or `standingBy` for one of several machines. Turns belong to `planning` alone, which nobody can be without the definitions of the
/// jobs: a turn that did not know them would find all runs without their jobs.
@HostActor
enum Role {
  /// The definitions are being read. What comes waits.
  case loading
  /// Another machine plans, or may do so.
  case standingBy
  /// Makes the rows of events, and starts runs.
  case planning(Plan)
  /// Another machine may plan, while runs of this one go on to their end.
  case draining(RunDrain)
  case ended

  /// True if a machine of this part can take the other one.
  func leads(to next: Role) -> Bool {
    switch (self, next) {
    case (.loading, .planning), (.standingBy, .planning), (.planning, .standingBy), (.planning, .draining),
      (.draining, .planning):
      true
    case (.ended, _): false
    case (_, .ended): true
    default: false
    }
  }
}

/// The memory of a machine that plans, between its turns.
struct Plan {
  enum Progress {
    /// The next turn takes these jobs over, and the runs of an earlier host.
    case beginning([JobDefinition])
    /// The clocks at the last turn.
    case going(Moment)
  }

  var progress: Progress
  /// The right to plan, and the seconds for which a turn renews it; nil where there is only one machine.
  var lease: (right: Lease, seconds: Double)?
  /// The time in milliseconds since 1970 at which another machine still planned, if it handed over.
  var handedOver: Int64?

  init(_ definitions: [JobDefinition]) { progress = .beginning(definitions) }

  /// The clocks at the last turn; nil before the first one.
  var last: Moment? { if case .going(let moment) = progress { moment } else { nil } }
}
