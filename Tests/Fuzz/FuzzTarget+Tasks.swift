import Core
import Files
import HostLoop
import Lua
import Schedule
import TaskAPI

extension FuzzTarget {
  @HostActor private static var reader: LuaFunction?
  @HostActor private static var luaState: LuaState?

  /// Calendar files, read by the stock script of the format, and written again.
  static let icalendar = FuzzTarget("icalendar") { input in
    if reader == nil {
      let state = try LuaState(memoryLimit: 64 << 20)
      let zone = Parameter.optional("zone", .string)
      let moment = HostFunction("moment", "The parts of a time.", [Parameter("text", .string), zone]) { arguments in
        let time: TaskTime
        do throws(TaskFieldError) {
          let given = try TaskTime(parsing: arguments.string(0))
          time = try arguments[1].string.map { name throws(TaskFieldError) in try given.moved(to: name) } ?? given
        } catch { throw LuaError(code: error.code, message: error.message) }
        let parts: [(String, LuaValue)] = [
          ("text", .string(time.description)), ("date", .string(time.day)), ("time", .string(time.time)),
          ("zone", .string(time.zone)), ("utc", .string(time.utc)),
        ]
        return [.record(parts)]
      }
      let definition = HostFunction(
        "vtimezone", "The definition of a zone.", [Parameter("zone", .string), .optional("since", .integer)]
      ) { arguments in
        do throws(ScheduleError) {
          return [.string(try Zone(arguments.string(0)).calendarDefinition(since: Int(arguments[1].integer ?? 2027)))]
        } catch { throw LuaError(code: error.code, message: error.message) }
      }
      let check = HostFunction("check", "Ends the program if a rule is broken.", [Parameter("holds", .boolean)]) {
        precondition($0[0].boolean == true, "a task is lost by writing")
        return []
      }
      state.globals["moment"] = .function(state.function(moment))
      state.globals["vtimezone"] = .function(state.function(definition))
      state.globals["check"] = .function(state.function(check))
      for name in ["icalendar", "zones", "windows_zones"] {
        let path = "scripts/services/\(name).lua"
        // An error would count as one of the reader, and the target would test nothing.
        guard let script = try? FileSystem.contents(of: path, limit: 1 << 20) else {
          fatalError("\(path) cannot be read: run this program in the folder of the project")
        }
        state.globals["source_of_\(name)"] = .bytes(script)
      }
      let start = """
        local modules = { b2c = { tasks = { moment = moment, vtimezone = vtimezone }, log = { warn = function() end } } }
        function require(name)
          modules[name] = modules[name] or load(_G["source_of_" .. name], name .. ".lua")(name)
          return modules[name]
        end
        local icalendar = require "icalendar"
        return function(text)
          local root = icalendar.parse(text, "fuzz.ics")
          local times = icalendar.times(root)
          for _, todo in ipairs(icalendar.all(root, "VTODO")) do
            local task = icalendar.task(todo, times)
            icalendar.write(icalendar.todo("uid", task))
            icalendar.change(todo, { due = task.due, start = task.start }, times)
          end
          icalendar.define_zones(root)
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
