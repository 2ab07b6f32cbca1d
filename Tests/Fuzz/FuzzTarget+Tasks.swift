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
      state.globals["moment"] = .function(state.function(moment))
      let script = try FileSystem.contents(of: "scripts/services/icalendar.lua", limit: 1 << 20)
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
          assert(#icalendar.all(icalendar.parse(icalendar.write(root)), "VTODO") == #icalendar.all(root, "VTODO"), "LOST")
        end
        """
      reader = try await state.load(Array(start.utf8), name: "fuzz.lua").call().first?.function
      luaState = state
    }
    do { _ = try await reader?.call([.bytes(input.bytes)]) } catch {
      precondition(!"\(error)".contains("LOST"), "a task is lost by writing")
    }
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
