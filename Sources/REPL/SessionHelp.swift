import Documentation
import HostLoop
import Lua

/// `help`, as it is in a session: of a function, a module, an object, or by name.
@HostActor
struct SessionHelp {
  let reference: Reference
  let state: LuaState

  var function: HostFunction {
    HostFunction("help", "Explains a function, a module or an object of the API.", [.any("topic", "It, or its name.")])
    {
      arguments in
      guard arguments.values.isEmpty || !arguments[0].isNil else {
        throw LuaError(
          code: "no_help", message: "no help on nil: there is nothing of that name",
          hint: "help() tells what there is")
      }
      StandardOutput.write(try text(on: arguments[0]))
      return []
    }
  }

  /// - Throws: a `LuaError` for what nothing is declared of.
  func text(on topic: LuaValue) throws -> String {
    let width = min(Screen.width, 100)
    if topic.isNil { return overview(width) }
    guard let name = name(of: topic) else {
      throw LuaError(
        code: "no_help", message: "there is no help on this \(topic.typeName): it is none of the API's",
        hint: "help() tells what there is")
    }
    if let entry = reference[name] { return reference.page(entry, width: width) }
    throw LuaError(
      code: "no_help", message: "no help on '\(name)'",
      hint: reference.nearest(to: name).map { "did you mean '\($0)'?" } ?? "help() tells what there is")
  }

  private func name(of topic: LuaValue) -> String? {
    switch topic {
    case .bytes: topic.string == "b2c" ? "tasks" : topic.string
    case .function(let function): state.declaration(of: function)?.name
    case .object(let object): type(of: object).luaType.name
    // The tables of the API bear their names.
    case .table(let table): table.metatable?["__name"].string
    default: nil
    }
  }

  private func overview(_ width: Int) -> String {
    var page = PageText(width: width)
    for module in reference.modules { page.add(module.name, module.doc, column: 12) }
    page.addBreak()
    page.add("help(tasks) and help(tasks.add) tell more, and so does help \"account\".")
    page.add("An expression is shown without return, and _ is the last one. Tab completes names and options.")
    page.add("Ctrl-C interrupts what runs or clears the line, Ctrl-D ends.")
    return page.text
  }
}
