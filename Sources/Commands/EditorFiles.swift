import CommandLine
import Core
import Files
import Glibc

/// The files by which editors know the scripts of a folder: the language server, tasks that check and test, and the debugger.
struct EditorFiles {
  /// Writes those that are not there, into the current folder. Files of a person stay as they are.
  /// - Returns: the paths of the written ones.
  static func write() throws(UsageError) -> [String] {
    var written: [String] = []
    for (path, text) in files where !FileSystem.exists(path) {
      do throws(FileFailure) {
        try FileSystem.makeFolder(path.parentFolder)
        try OpenFile(path, Opening(O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)).write(text.utf8)
      } catch { throw UsageError("new: cannot write \(path): \(error.reason)") }
      written.append(path)
    }
    return written
  }

  /// The folder of the definitions that `b2c-run stubs` writes.
  static let stubs = ".b2c-run/stubs"

  private static let files = [
    (".luarc.json", luarc), (".vscode/launch.json", launch), (".vscode/tasks.json", tasks),
  ]

  private static let luarc = """
    { "runtime.version": "Lua 5.4", "workspace.library": ["\(stubs)"] }

    """

  private static let launch = """
    {
      "version": "0.2.0",
      "configurations": [
        {
          "type": "b2c", "request": "launch", "name": "Debug this script", "program": "${file}",
          "cwd": "${workspaceFolder}"
        }
      ]
    }

    """

  private static let tasks = #"""
    {
      "version": "2.0.0",
      "tasks": [
        {
          "label": "b2c-run check", "type": "process", "command": "b2c-run", "args": ["check", "."], "group": "build",
          "problemMatcher": {
            "owner": "b2c-run", "source": "b2c-run", "fileLocation": ["relative", "${workspaceFolder}"],
            "pattern": {
              "regexp": "^(.+?):(\\d+):(\\d+): (.*) \\((\\w+)\\)$",
              "file": 1, "line": 2, "column": 3, "message": 4, "code": 5
            }
          }
        },
        {
          "label": "b2c-run test", "type": "process", "command": "b2c-run", "args": ["test"], "group": "test",
          "problemMatcher": []
        }
      ]
    }

    """#
}
