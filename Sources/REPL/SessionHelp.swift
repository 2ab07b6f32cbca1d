import Automation
import CommandLine
import Core
import Documentation
import HostLoop
import Lua
import LuaKit
import Terminal

@HostActor
struct SessionHelp {
  let reference: Reference
  let state: LuaState

  var function: HostFunction {
    let topic = Parameter.any("topic", "It, or its name.")
    return HostFunction("help", "Explains a function, a module or an object of the API.", [topic]) { arguments in
      guard arguments.values.isEmpty || !arguments[0].isNil else {
        throw Self.noHelp("no help on nil: nothing has that name")
      }
      StandardOutput.write(try text(on: arguments[0]))
      return []
    }
  }

  /// - Throws: a `LuaError` if the topic has no declaration.
  func text(on topic: LuaValue) throws -> String {
    let width = Console.helpWidth
    if topic.isNil { return overview(width) }
    guard let name = name(of: topic) else {
      throw Self.noHelp("there is no help on this \(topic.typeName): it is none of the API's")
    }
    if let entry = reference[name] { return reference.page(entry, width: width) }
    throw Self.noHelp("no help on '\(name)'", hint: reference.nearest(to: name).map { "did you mean '\($0)'?" })
  }

  private static func noHelp(_ message: String, hint: String? = nil) -> LuaError {
    LuaError(code: "no_help", message: message, hint: hint ?? "help() lists the topics")
  }

  private func name(of topic: LuaValue) -> String? {
    switch topic {
    case .bytes: topic.string == "b2c" ? "tasks" : topic.string
    case .function(let function): state.declaration(of: function)?.name
    case .object(let object): type(of: object).luaType.name
    // Tables of the API have their name in the metatable.
    case .table(let table): table.metatable?["__name"].string
    default: nil
    }
  }

  private func overview(_ width: Int) -> String {
    var page = PageText(width: width)
    for module in reference.modules { page.add(module.name, module.doc, column: 12) }
    page.addApart("help(tasks) and help(tasks.add) tell more, and so does help \"account\".")
    page.add("An expression is shown without return, and _ is the last one. Tab completes names and options.")
    page.add("Ctrl-C interrupts what runs or clears the line, Ctrl-D ends.")
    return page.text
  }
}
