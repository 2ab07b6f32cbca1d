import Core
import Files
import Holidays
import HostLoop
import JSON
import Jobs
import Lua
import Permissions

/// Reads the calendars that a declaration names: `except = "ics:FILE"`. The declaration gets their days.
@HostActor
struct HolidayFiles {
  private static let longest = 4 << 20
  private let permissions: Permissions

  init(_ permissions: Permissions) { self.permissions = permissions }

  /// Throws `bad_job` with the file and the line of a broken calendar.
  func read(in declaration: inout JSON) throws {
    guard case .object(var members) = declaration, let on = members["on"] else { return }
    if let events = on.array {
      members["on"] = .array(try events.map(withDays))
    } else {
      members["on"] = try withDays(on)
    }
    declaration = .object(members)
  }

  private func withDays(_ event: JSON) throws -> JSON {
    guard case .object(var members) = event, let text = members[JobDeclaration.exceptKey]?.string else { return event }
    guard text.hasPrefix("ics:"), text.utf8.count > 4 else { return event }
    members[JobDeclaration.exceptKey] = .array(try days(of: String(text.dropFirst(4))).map { .string($0) })
    return .object(members)
  }

  private func days(of path: String) throws -> [String] {
    let place = "b2c.job: on.\(JobDeclaration.exceptKey)"
    let bytes: [UInt8]
    do {
      bytes = try permissions.check(path.pathBytes, .read, by: "b2c.job").open(.reading).contents(limit: Self.longest)
    } catch is PermissionDenied {
      throw LuaError(
        code: "bad_job", message: "\(place): the script may not read \(path.displayable)",
        hint: "keep the calendar in the folder of the script")
    } catch let error as FileFailure {
      throw LuaError(code: "bad_job", message: "\(place): cannot read \(path.displayable): \(error.reason)")
    }
    do throws(Holidays.Problem) { return try Holidays(ics: bytes).texts } catch {
      let line = error.line.map { ":\($0)" } ?? ""
      throw LuaError(
        code: "bad_job", message: "\(place): \(path.displayable)\(line): \(error.message)", hint: error.hint)
    }
  }
}
