import Core
import Files
import HostLoop
import Lua
import TaskAPI

extension FuzzTarget {
  @HostActor private static var reader: LuaFunction?
  @HostActor private static var luaState: LuaState?

  /// Calendar files, read by the stock script of the format, and written again.
  static let icalendar = FuzzTarget("icalendar") { input in
    if reader == nil {
      let state = try LuaState(memoryLimit: 64 << 20)
      let moment = HostFunction("moment", "The parts of a time.", [Parameter("text", .string)]) { arguments in
        let time: TaskTime
        do throws(TaskFieldError) { time = try TaskTime(parsing: arguments.string(0)) } catch {
          throw LuaError(code: error.code, message: error.message)
        }
        let parts: [(String, LuaValue)] = [
          ("text", .string(time.description)), ("date", .string(time.day)), ("time", .string(time.time)),
          ("zone", .string(time.zone)), ("utc", .string(time.utc)),
        ]
        return [.record(parts)]
      }
      let check = HostFunction("check", "Ends the program if a rule is broken.", [Parameter("holds", .boolean)]) {
        precondition($0[0].boolean == true, "a task is lost by writing")
        return []
      }
      state.globals["moment"] = .function(state.function(moment))
      state.globals["check"] = .function(state.function(check))
      let path = "scripts/services/icalendar.lua"
      // An error would count as one of the reader, and the target would test nothing.
      guard let script = try? FileSystem.contents(of: path, limit: 1 << 20) else {
        fatalError("\(path) cannot be read: run this program in the folder of the project")
      }
      state.globals["source"] = .bytes(script)
      let start = """
        function require() return { tasks = { moment = moment } } end
        local icalendar = load(source, "icalendar.lua")()
        return function(text)
          local root = icalendar.parse(text, "fuzz.ics")
          for _, todo in ipairs(icalendar.all(root, "VTODO")) do
            local task = icalendar.task(todo)
            icalendar.write(icalendar.todo("uid", task))
          end
          check(#icalendar.all(icalendar.parse(icalendar.write(root)), "VTODO") == #icalendar.all(root, "VTODO"))
        end
        """
      reader = try await state.load(Array(start.utf8), name: "fuzz.lua").call().first?.function
      luaState = state
    }
    _ = try await reader?.call([.bytes(input.bytes)])
  }

  /// Times of tasks, and draft fields.
  static let taskTimes = FuzzTarget("task-times") { input in
    let time = try TaskTime(parsing: input.text)
    let again = try TaskTime(parsing: time.description)
    precondition(again == time, "another time after writing and reading: \(input.text)")
    _ = (time.day, time.time, time.zone, time.utc)
    _ = try time.moved(to: "Europe/Athens")
  }
}
