import Core
import Files
import Glibc
import HostLoop
import TaskPlans

/// The files that a call is about to write. Each is looked at before anything is sent: it can be written, and it is none of the
/// others, of which one would be lost.
@HostActor
struct OutputCheck {
  private let call: String
  private var taken: [(path: String, what: String)] = []

  /// - Parameter call: the name of the call in messages: `tasks.import`.
  init(_ call: String) { self.call = call }

  /// Notes a file that must stay.
  mutating func keep(_ path: String?, _ what: String) {
    if let path { taken.append((path, what)) }
  }

  /// Notes a file that an option names; nil for an option that is not given.
  /// - Parameter isWritten: false for a file that is not written this time.
  mutating func take(
    _ path: String?, _ what: String, by option: String, isWritten: Bool = true
  ) throws(ImportRefusal) {
    guard let path else { return }
    if isWritten { try check(path, option) }
    if let other = taken.first(where: { ResolvedPath.areOneFile($0.path, path) }) {
      throw ImportRefusal(
        call, option: option, "\(path) is \(other.what), which would be lost", hint: "name another file")
    }
    taken.append((path, what))
  }

  /// Notes the file of a plan, which replaces no other file than a plan.
  mutating func take(plan path: String?) throws(ImportRefusal) {
    try take(path, "the plan", by: "plan")
    guard let path, !PlanWriter.mayReplace(OutputPlace(path)) else { return }
    throw ImportRefusal(
      call, option: "plan", "\(path) is there and is not a plan, and it would be replaced",
      hint: "name another file, or remove this one first")
  }

  private func check(_ path: String, _ option: String) throws(ImportRefusal) {
    // A file is replaced by another; what is no file, such as a pipe, is written to.
    let isFile = ImportPlan.isFile(path)
    guard FileSystem.access(isFile ? path.parentFolder : path, isFile ? W_OK | X_OK : W_OK) != 0 else { return }
    throw ImportRefusal(
      call, option: option, "\(path) cannot be written: \(String(cString: strerror(errno)))",
      hint: "name a file in a folder that is there and can be written to")
  }
}
