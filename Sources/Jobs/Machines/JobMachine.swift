/// A machine that serves the jobs of a database, as the database has it.
package struct JobMachine: Sendable, Equatable {
  package var name: String
  /// Another number for each start.
  package var session: Int64
  /// The ID of its state folder, with what tells a copy of the folder from it: the boot of the host, and the inode. A
  /// slash follows the ID.
  package var folder: String
  /// The name of the host, and the number of the process.
  package var host: String
  package var process: Int64
  package var version: String
  /// In seconds since 1970, by the clock of the database, like the other times.
  package var since = 0.0
  package var beat = 0.0
  package var until = 0.0
  /// The runs that go on, and those that wait for their turn.
  package var running = 0
  package var queued = 0
  /// True if it makes the rows of events and starts the runs.
  package var isPlanning = false
  /// True if it ends: its runs go on, and another machine plans.
  package var isDraining = false
  /// True if it has not given up its beats.
  package var isAlive = true

  package init(name: String, session: Int64, folder: String, host: String, process: Int64, version: String) {
    self.name = name
    self.session = session
    self.folder = folder
    self.host = host
    self.process = process
    self.version = version
  }

  /// True if the other machine has the same state folder, or a copy of it, perhaps in another boot.
  func sharesFolder(with other: JobMachine) -> Bool {
    folder.prefix { $0 != "/" } == other.folder.prefix { $0 != "/" }
  }

  /// The owner of the right to plan.
  var owner: String { Self.owner(name, session) }
  static func owner(_ name: String, _ session: Int64) -> String { "\(name)/\(session)" }
  /// The name of the machine that has the right to plan.
  static func name(ofOwner owner: String) -> String {
    owner.lastIndex(of: "/").map { String(owner[..<$0]) } ?? owner
  }
}
