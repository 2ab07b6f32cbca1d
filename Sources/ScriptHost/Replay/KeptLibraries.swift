import Core
import HostLoop
import JSON
import Lua

/// Lua's own functions with results of chance or of the clock, for a run that is kept and for its replay: both get the same.
@HostActor
struct KeptLibraries {
  let state: LuaState
  let tape: any RunTape

  func install() async throws {
    let chunk = try state.load(Array(Self.source.utf8), name: LuaState.hostChunk)
    _ = try await chunk.call([.function(state.function(reading))])
  }

  /// Returns a number that a function has read, or the one of the recorded run.
  private var reading: HostFunction {
    HostFunction("reading", "", [Parameter("name", .string, ""), .any("value")]) { [tape] arguments in
      let kept = try tape.input(.clock, arguments.string(0)) {
        switch arguments[1] {
        case .integer(let value): Array(JSON.integer(value).encoded().utf8)
        case let value: Array("b\((value.number ?? 0).bitPattern)".utf8)
        }
      }
      let text = String(decoding: kept, as: UTF8.self)
      if let value = Int64(text) { return [.integer(value)] }
      return [.number(UInt64(text.dropFirst()).map(Double.init(bitPattern:)) ?? 0)]
    }
  }

  /// The order of `pairs` is by chance, too: here it is that of the keys.
  private static let source = """
    local reading = ...
    local time, date, clock, seed, random = os.time, os.date, os.clock, math.randomseed, math.random
    local next, pairs_of, type, rawget, select, sort = next, pairs, type, rawget, select, table.sort

    function os.time(at)
      if at ~= nil then return time(at) end
      return reading("os.time", time())
    end

    function os.clock() return reading("os.clock", clock()) end

    function os.date(format, at) return date(format, at == nil and reading("os.date", time()) or at) end

    function math.randomseed(...)
      if select("#", ...) > 0 then return seed(...) end
      return seed(reading("math.randomseed", random(0)), reading("math.randomseed", random(0)))
    end
    math.randomseed()

    local ranks = { number = 1, string = 2 }
    local function is_before(one, other)
      local rank, other_rank = ranks[type(one)] or 3, ranks[type(other)] or 3
      if rank ~= other_rank then return rank < other_rank end
      return rank < 3 and one < other
    end

    function pairs(...)
      local step, values, first = pairs_of(...)
      if step ~= next then return step, values, first end
      local keys, count = {}, 0
      for key in next, values do
        count = count + 1
        keys[count] = key
      end
      sort(keys, is_before)
      local index = 0
      return function()
        while index < count do
          index = index + 1
          local value = rawget(values, keys[index])
          if value ~= nil then return keys[index], value end
        end
      end, values, nil
    end
    """
}
