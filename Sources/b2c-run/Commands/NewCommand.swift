import Files
import FoundationEssentials
import Glibc
import Lua
import LuaBindings

extension Command {
  static let new = Command(
    "new", "write a starter script, NAME.lua, with its test, NAME_test.lua",
    positions: [.init("NAME", "the name of the script, or its path")]
  ) { invocation, _ in
    let starter = try Starter(named: invocation.arguments[0])
    try starter.write()
    StandardOutput.write(starter.nextSteps)
    return .done
  }
}

/// A script to begin with, and its test.
struct Starter {
  /// Without `.lua`.
  private let path: String

  /// - Parameter name: a name or a path, with or without `.lua`.
  /// - Throws: `UsageError` for a name that `require` could not find.
  init(named name: String) throws(UsageError) {
    path = name.hasSuffix(".lua") ? String(name.dropLast(4)) : name
    let base = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let isName = base.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    guard isName, !base.isEmpty, !base.hasPrefix("-") else {
      throw UsageError(
        "new: expected a name of letters, digits, - and _, got '\(base)'", hint: "for example b2c-run new weekly-tasks")
    }
    guard !base.hasSuffix("_test") else {
      throw UsageError("new: '\(base)' is the name of a test", hint: "give that of the script: its test comes with it")
    }
  }

  private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  private var files: [(path: String, text: String)] {
    [("\(path).lua", Self.script), ("\(path)_test.lua", Self.test)].map { path, text in
      (path, text.replacing("NAME", with: name).replacing("PATH", with: self.path))
    }
  }

  /// What the person is told.
  var nextSteps: String {
    let commands = [
      ("b2c-run --local \(path).lua", "runs it with a tenant on this machine"),
      ("b2c-run test \(path)_test.lua", "runs its test"),
      ("b2c-run help tasks", "tells what b2c.tasks can do"),
    ]
    let width = commands.map(\.0.count).max() ?? 0
    let lines = commands.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))   \($0.1)\n" }
    return "wrote \(path).lua and \(path)_test.lua\n\n\(lines.joined())"
  }

  /// Writes both, or neither where one of them is there.
  func write() throws(UsageError) {
    for file in files where FileSystem.exists(file.path) {
      throw UsageError("new: \(file.path) is there already", hint: "choose another name, or move it away")
    }
    if let folder = path.lastIndex(of: "/").map({ String(path[..<$0]) }), !folder.isEmpty {
      do { try FileSystem.makeFolder(folder) } catch {
        throw UsageError("new: cannot make the folder \(folder): \(error.reason)")
      }
    }
    for file in files {
      // O_EXCL: nobody else's file is overwritten, even one made just now.
      do { try OpenFile(file.path, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)).write(file.text.utf8) } catch {
        throw UsageError("new: cannot write \(file.path): \(error.reason)")
      }
    }
  }
}

extension Starter {
  private static let script = #"""
    -- Adds a few tasks, and lists them all.
    --
    --   b2c-run --local PATH.lua     with a tenant on this machine
    --   b2c-run PATH.lua             with that of settings.plist
    --
    -- It needs nothing but the provider and the task API of the settings. A script that needs more says so here, in lines
    -- such as "needs: --allow-net=hooks.example.com  posts the summary there"; whoever runs it grants that, or does not.

    local b2c = require "b2c"
    local accounts, tasks, tenant = b2c.accounts, b2c.tasks, b2c.tenant

    -- Who is signed in stays so, also for the next run. Somebody new is asked to sign in, in the browser; the local
    -- tenant has a user for a first try.
    local account = accounts.current()
    if not account then
      account = tenant.is_running() and tenant.sign_in() or accounts.sign_in()
    end
    print("signed in as " .. account.name)

    -- An import reads a file, such as tasks.import "tasks.csv", or takes what a function returns until that is nil.
    local texts = { "Buy milk", "Water the plants", "Call Alice" }
    local position = 0
    local report = tasks.import(function()
      position = position + 1
      return texts[position] and { text = texts[position] }
    end)
    print(report.added .. " added, " .. report.failed .. " failed")

    for task in tasks.each() do
      print(task.id, task.text)
    end

    -- For the test, and for scripts that require this one.
    return report
    """# + "\n"

  private static let test = #"""
    -- The tests of NAME.lua. Each runs with a tenant of its own on this machine.
    --
    --   b2c-run test PATH_test.lua

    local b2c = require "b2c"
    local tenant = b2c.tenant

    describe("NAME", function()
      it("adds the tasks", function()
        local report = require "NAME"
        expect(report).to_have { added = 3, failed = 0 }
        expect(tenant.tasks("alice")).to_contain { text = "Buy milk" }
      end)

      it("goes on when the task API is slow to come up", function()
        tenant.fault { method = "POST", path = "/api/tasks", status = 503, times = 2 }
        expect(require("NAME").added).to_equal(3)
        expect(tenant.tasks("alice")).to_have_length(3)
      end)
    end)
    """# + "\n"
}
