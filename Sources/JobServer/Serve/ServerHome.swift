package import Core
package import HTTPServer
package import HostLoop
package import JobTables
package import Jobs
package import Permissions

/// The program around a job server: its log and its signals, its secrets and accounts, and the addresses that its options
/// name.
@HostActor
package protocol ServerHome: AnyObject {
  /// Tells a person.
  func log(_ level: Turn.LogLevel, _ text: String)
  /// Calls `receiver` with each signal from now on; nil for the usual effect of signals.
  func passSignals(to receiver: (@Sendable (Int32) -> Void)?)
  /// Finds the secret of a webhook by its name.
  func secret(_ name: String) async throws -> Secret
  /// The files that the permissions of a job open to it.
  func rules(granting flags: [String], from base: [UInt8]) -> FileRules
  /// The listener of the webhooks; nil if there are none.
  /// - Parameter sockets: the sockets that the manager of services has made, by their names.
  func hookListener(_ sockets: [String: Int32]) throws -> Listener?
  /// The listener of the pages; nil if there are none.
  /// - Parameter isSecure: true if browsers reach the pages by https; nil without a sign-in.
  func pageListener(_ sockets: [String: Int32], isSecure: Bool?) throws -> Listener?
  /// The sign-in of the pages; nil if all of this machine may use them.
  func signIn() throws -> PageSignIn?
  /// The accounts that the jobs use.
  func accounts() async throws -> [KeptAccount]
}

/// The stores of a job host: in its state folder, or in a database that several machines share.
package struct ServedStores {
  /// For the transactions of turns.
  package let turns: JobStore
  /// For everything else; nil if it is the same.
  package let reading: JobStore?
  /// This machine among several; nil where there is only one.
  package let machine: JobMachine?
  /// Makes the digests of values that the history does not have.
  package let digests: JobSeal
  /// The seconds after which a machine that says nothing is dead.
  package let lease: Double

  package init(turns: JobStore, reading: JobStore?, machine: JobMachine?, digests: JobSeal, lease: Double) {
    (self.turns, self.reading, self.machine) = (turns, reading, machine)
    (self.digests, self.lease) = (digests, lease)
  }
}
