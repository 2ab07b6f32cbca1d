import Commands
import Core
import Files
import HostLoop
import JSON
import Jobs
import Lua
import Permissions
import Schedule
import ScriptCheck

/// Reads the declaration of a job for `check`, as `serve` does.
@HostActor
final class DeclarationCheck {
  private let file: String
  private let source: [UInt8]
  private let json: JSONMarshal
  /// Facts that are no mistakes, with file and line: what a person has to allow, and due times that may surprise.
  private(set) var notes: [String] = []

  init(_ file: String, _ source: [UInt8], _ state: LuaState) {
    (self.file, self.source) = (file, source)
    json = JSONMarshal(state)
  }

  func problem(_ declaration: LuaValue, line: Int) -> ScriptChecker.JobProblem? {
    do {
      let job = try JobDeclaration(try json.json(declaration, at: "b2c.job"), zone: .local())
      let place = "\(file.displayable):\(line)"
      notes += job.triggers.flatMap(\.warnings).map { "\(place): \($0)" }
      let base = ResolvedPath.currentFolder
      for need in JobNeeds.missing(in: ScriptHeader.flags(of: source), for: job.filePatterns, job.notices, from: base) {
        notes.append(
          "\(place): the job needs \(need.flag.displayable) for \(need.reason.displayable); "
            + "b2c-run jobs allow shows it, and the first comment can give the reason: -- needs: \(need.flag.displayable)"
        )
      }
      return nil
    } catch let error as JobError {
      return .init(key: error.key ?? "", message: error.message, hint: error.hint)
    } catch {
      let error = LuaError(error)
      return .init(key: "", message: error.message, hint: error.hint)
    }
  }
}
