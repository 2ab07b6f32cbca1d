import Automation
import Glibc
import HostLoop

/// The files that a run still has to write if its script ends the process with `os.exit`.
@HostActor
enum ExitWork {
  /// In the order in which they are written.
  enum File: CaseIterable { case profile, trace }

  /// Writes a file, with the exit status of the process.
  typealias Work = @HostActor (_ status: Int32) throws -> Void

  private static var pending: [File: Work] = [:]

  /// The work on a file; nil when it is done.
  static func set(_ file: File, _ work: Work?) {
    _ = atExit
    pending[file] = work
  }

  private static let atExit: Void = {
    on_exit(
      { status, _ in
        guard HostLoop.shared.isCurrent else { return }
        HostActor.assumeIsolated {
          for file in File.allCases {
            do { try ExitWork.pending[file]?(status) } catch {
              Console(level: .error).write("b2c-run: \(error)")
            }
          }
        }
      }, nil)
  }()
}
