import CLinuxShims
import Core
package import Files
package import Glibc
import HostLoop

/// A child process, at its start.
package struct ChildProcess: Sendable {
  /// The numbers of all children so far. Other children of this process are orphans that it has adopted.
  static let started = Locked<Set<pid_t>>([])

  package let id: pid_t
  /// A descriptor that is readable when the process has ended (pidfd_open(2)).
  package let handle: Int32

  /// Starts a program in a new session.
  /// - Parameters:
  ///   - environment: `NAME=VALUE`.
  ///   - output: the descriptor of its standard output and error; -1 for those of this process, and its input and terminal.
  ///   - channel: a descriptor that the program gets besides.
  ///   - memory: a descriptor with a text for the program; -1 for none.
  package init(
    _ program: String, _ arguments: [String], environment: [String], in folder: String, output: Int32, channel: Int32,
    memory: Int32 = -1
  ) throws(FileFailure) {
    var (process, handle): (Int32, Int32) = (0, -1)
    let words = Self.strings([program] + arguments)
    let variables = Self.strings(environment)
    defer { for text in words + variables { free(text) } }
    let problem = program.withPath { program in
      folder.withPath { cspawn_child(&process, &handle, program, words, variables, $0, output, channel, memory) }
    }
    guard problem == 0 else { throw FileFailure(number: problem) }
    (id, self.handle) = (process, handle)
    Self.started.withLock { _ = $0.insert(process) }
  }

  /// A list of C strings that ends with NULL.
  private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { $0.withPath { strdup($0) } } + [nil]
  }
}
