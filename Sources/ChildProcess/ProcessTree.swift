import CLinuxShims
import Core
import Files
package import Glibc
import HostLoop

/// The descendants of a child process: also those in other sessions and groups, and those whose parents have ended.
package struct ProcessTree: Sendable {
  /// The variable that all of them inherit.
  package static let variable = "B2C_RUN_PROGRAM"

  private let mark: [UInt8]

  /// Makes this process the parent of descendants that lose theirs.
  /// - Parameter mark: the value of the variable, which no other tree has.
  package init(mark: String) {
    self.mark = Array("\(Self.variable)=\(mark)".utf8)
    _ = cprocess_adopt_orphans()
  }

  /// Ends all processes of the tree but its first one.
  /// - Parameters:
  ///   - root: the first process, which the caller ends and reaps.
  ///   - isLast: true if there is no other tree any more.
  /// - Returns: true if there was nothing left to end.
  package func kill(under root: pid_t, isLast: Bool) -> Bool {
    let processes = Self.processes()
    let (own, session) = (getpid(), getsid(0))
    let started = ChildProcess.started.withLock { $0 }
    func isInTree(_ process: pid_t) -> Bool {
      var (process, steps) = (process, 0)
      while let (parent, itsSession) = processes[process], steps < 10_000 {
        if parent == root { return true }
        if parent == own {
          // The children that this process has started are in its session, or known. Any other is an orphan: its variable tells
          // whose it is, unless it has removed the variable. Then it belongs to the last tree.
          guard itsSession != session, !started.contains(process) else { return false }
          return hasMark(process) || isLast && !Self.isMarked(process)
        }
        (process, steps) = (parent, steps + 1)
      }
      return false
    }
    let members = processes.keys.filter(isInTree)
    for process in members {
      Glibc.kill(process, SIGKILL)
      // A child of this process keeps its number until here.
      if processes[process]?.parent == own { waitpid(process, nil, WNOHANG) }
    }
    return members.isEmpty
  }

  private func hasMark(_ process: pid_t) -> Bool { Self.environment(of: process).contains { $0.elementsEqual(mark) } }

  private static func isMarked(_ process: pid_t) -> Bool {
    environment(of: process).contains { $0.starts(with: Array("\(variable)=".utf8)) }
  }

  private static func environment(of process: pid_t) -> [ArraySlice<UInt8>] {
    let bytes = (try? FileSystem.contents(of: "/proc/\(process)/environ", limit: 8 << 20)) ?? []
    return bytes.split(separator: 0)
  }

  /// The parent and the session of each process that this one sees.
  private static func processes() -> [pid_t: (parent: pid_t, session: pid_t)] {
    var processes: [pid_t: (parent: pid_t, session: pid_t)] = [:]
    for name in (try? FileSystem.names(in: "/proc")) ?? [] {
      guard let process = pid_t(name), let bytes = try? FileSystem.contents(of: "/proc/\(name)/stat", limit: 1 << 16),
        // The name, in parentheses, may contain any characters.
        let end = bytes.lastIndex(of: UInt8(ascii: ")"))
      else { continue }
      let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " ")).prefix(4).map {
        pid_t(String(decoding: $0, as: UTF8.self)) ?? 0
      }
      if fields.count == 4 { processes[process] = (fields[1], fields[3]) }
    }
    return processes
  }
}
