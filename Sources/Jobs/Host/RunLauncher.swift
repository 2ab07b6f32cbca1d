package import HostLoop
package import JSON

/// Starts the processes of runs.
@HostActor
package protocol RunLauncher: AnyObject {
  /// Starts a process that does nothing before `go`. It gets `context` and tells the host what it does.
  func launch(_ run: RunRecord, of job: JobRecord, context: JSON) throws -> any RunProcess
  /// The process of a run that an earlier host started; nil if it has ended.
  func adopt(_ process: ProcessIdentity, of run: Int64) -> (any RunProcess)?
}

/// The process of a run.
@HostActor
package protocol RunProcess: AnyObject {
  var identity: ProcessIdentity { get }
  /// Lets the script begin.
  func go()
  /// Replies to the oldest message that waits for it.
  func reply(_ reply: RunReply)
  /// Asks the process to end; `kill` ends it at once.
  func stop(kill: Bool)
}

/// The end of a process.
package enum ProcessEnd: Sendable, Equatable {
  case status(Int32)
  case signal(Int32)
  /// The process was not a child of this host.
  case unknown
}
