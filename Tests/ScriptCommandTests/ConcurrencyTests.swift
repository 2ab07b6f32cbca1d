import CommandLineSupport
import Foundation
import Testing

@Suite("b2c.async, at the end of a run and in numbers")
struct ConcurrencyTests {
  @Test("coroutines that were left unfinished are named, those that are garbage are not")
  func coroutines() throws {
    let program = try Program()
    try program.write(
      "leak.lua",
      """
      kept = {}
      local function generator()
        coroutine.yield(1)
        coroutine.yield(2)
      end
      for i = 1, 3 do kept[i] = coroutine.wrap(generator) kept[i]() end
      kept[4] = coroutine.create(generator)
      coroutine.resume(kept[4])
      coroutine.resume(kept[4])
      kept.new = coroutine.create(generator)
      kept.finished = coroutine.wrap(function() end)
      kept.finished()
      coroutine.wrap(generator)()
      local closed = coroutine.create(generator)
      coroutine.resume(closed)
      coroutine.close(closed)
      kept.closed = closed
      """)
    let result = try program.run("leak.lua")
    #expect(result.status == 0)
    #expect(
      result.errors == """
        warn  the coroutine at leak.lua:3 was not finished, and a variable still refers to it (3 times)
        warn  the coroutine at leak.lua:4 was not finished, and a variable still refers to it

        """)
  }

  @Test("five of them, and how many more")
  func many() throws {
    let program = try Program()
    let line = "g[#g + 1] = coroutine.wrap(function() coroutine.yield() end) g[#g]()\n"
    try program.write("leak.lua", "g = {}\n" + String(repeating: line, count: 8))
    let errors = try program.run("leak.lua").errors.split(separator: "\n")
    #expect(errors.count == 6)
    #expect(errors.last == "warn  3 more coroutines and timers were left like this")
  }

  @Test("a timer that nobody closed does not keep the run alive, and is named")
  func timer() throws {
    let program = try Program()
    try program.write("poll.lua", "local async = require 'b2c.async'\nasync.every(0.001, print)\nasync.sleep(0.05)")
    let result = try program.run("poll.lua")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("1\n2\n"))
    #expect(
      result.errors == """
        warn  the timer of async.every at poll.lua:2 was stopped, as the function that started it has ended; close it there, or keep it in a <close> variable

        """)
  }

  @Test("an error in a timer ends the script that waits, with both stacks")
  func timerError() throws {
    let program = try Program()
    try program.write(
      "poll.lua",
      """
      local async = require "b2c.async"
      local function poll() error "gone" end
      local timer = async.every(0.001, poll)
      async.sleep(3600)
      """)
    let result = try program.run("poll.lua")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        b2c-run: poll.lua:2: gone
        stack traceback:
        	[C]: in function 'error'
        	poll.lua:2: in function <poll.lua:2>
        started by:
        	poll.lua:3: in main chunk
        raised in:
        	poll.lua:4: in main chunk

        """)
  }

  @Test(
    "ten thousand children sleep at once", arguments: ["async.map(list, { limit = 10000 }, child)", "async.all(list)"])
  func memory(start: String) throws {
    let program = try Program()
    try program.write(
      "many.lua",
      """
      local async = require "b2c.async"
      local count = 0
      local function peak()
        for line in io.lines("/proc/self/status") do
          local size = line:match "^VmHWM:%s*(%d+) kB"
          if size then return size end
        end
      end
      local before = peak()
      local function child()
        count = count + 1
        if count < 10000 then async.sleep(3600) end
        error { code = "all" }
      end
      local list = {}
      for i = 1, 10000 do list[i] = child end
      local _, problem = pcall(function() \(start) end)
      assert(problem.code == "all")
      print(count, peak() - before)
      """)
    let result = try program.run("-A", "many.lua")
    let numbers = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    #expect(numbers.first == 10000, "\(result)")
    // A child takes 11 to 12 KB.
    #expect(try #require(numbers.last) <= 116 << 10, "\(result)")
  }
}
