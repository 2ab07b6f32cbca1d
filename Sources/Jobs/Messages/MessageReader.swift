import Core
import JSON
import JobCode

/// Reads the members of a message between processes. A member that is missing is an error that names it.
struct MessageReader {
  private let json: JSON
  /// The member `op`, which names the message.
  let name: String

  init(_ json: JSON) {
    self.json = json
    name = json["op"]?.string ?? ""
  }

  /// The error of a message that this version does not know.
  var unknown: JobError {
    JobError(
      "bad_message", "there is no message '\(name.displayable.clipped(to: 60))' between a job host and its processes",
      hint: "use the same version of the program on all machines")
  }

  func json(_ member: String) throws(JobError) -> JSON { try need(json[member], member) }
  func text(_ member: String) throws(JobError) -> String { try need(json[member]?.string, member) }
  func number(_ member: String) throws(JobError) -> Int64 { try need(json[member]?.lenientInteger, member) }
  func wait(_ member: String) throws(JobError) -> RunWait { try need(RunWait(json), member) }
  func code(_ member: String) throws(JobError) -> RunCode { try need(RunCode(json[member]), member) }
  func error(_ member: String) throws(JobError) -> RunError { try need(RunError(json[member]), member) }

  private func need<Value>(_ value: Value?, _ member: String) throws(JobError) -> Value {
    guard let value else {
      throw JobError("bad_message", "the message '\(name.displayable.clipped(to: 60))' has no valid member '\(member)'")
    }
    return value
  }
}
