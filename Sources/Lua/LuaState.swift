import CLua
import CLuaShims
package import HostLoop

/// `lua_State *`; no such pointer leaves this target.
typealias LuaStack = OpaquePointer

/// One Lua interpreter. Everything in it runs on the host's thread.
@HostActor
package final class LuaState {
  /// The main thread's stack, used for conversions; scripts run in coroutines.
  let stack: LuaStack
  let host: UnsafeMutablePointer<luas_host>
  let released = ReleasedReferences()
  var current: Coroutine?
  var idle: [Coroutine] = []
  /// Keeps the functions alive that Lua closures point at.
  var bound: [AnyObject] = []
  var metatables: [ObjectIdentifier: Int32] = [:]
  /// Weak in its values: the userdata of each Swift object, so that one object is one value in Lua.
  private(set) var objects: Int32 = 0
  private(set) var errorMetatable: Int32 = 0
  /// Weak in its keys: the tracebacks of raised tables.
  private(set) var traces: Int32 = 0
  /// The metatable of the userdata through which a Lua closure owns its Swift function.
  private(set) var ownerMetatable: Int32 = 0
  var counts = Counts()
  /// The object that the host functions of this state work with, and refer to without holding it. Each call of Lua holds
  /// it, and fails after its end.
  package var owner: Owner?
  /// Rewrites every message on its way into Lua and out of it; removes secrets.
  package var cleanMessage: @HostActor (String) -> String = { $0 }
  /// Asked before a function of Lua's libraries reads or writes a file or does another thing outside the script. Throws what
  /// the script gets to see, where it may not. Without one, nothing is allowed.
  package var onLibraryAccess: @HostActor (LibraryAccess) throws -> LibraryAccess.Way = LuaState.refuse
  private(set) var isClosed = false
  /// Looks at what every call of a host function returns, and may refuse it: tests compare it with the declarations.
  package var inspectResults: (@HostActor (HostFunction, [LuaValue]) throws(LuaError) -> Void)? {
    get { watching.inspectResults }
    set { watching.inspectResults = newValue }
  }
  var driven: [Int: Coroutine] = [:]
  var lastNumber = 0
  static var obeying: [LuaState] = []
  /// The signal that they obey; nil before any does.
  static var stopSignal: Int32?
  var missed: MissedName?
  /// Called before each host function that may wait. Its error becomes the function's.
  package var beforeWaiting: (@HostActor (HostFunction) throws(LuaError) -> Void)?
  var watching = Watching()
  /// Gets the text of a report that was asked for, see `Request.report`.
  package var onReport: @HostActor (String) -> Void = { _ in }
  /// Told of an error in a to-be-closed variable of a canceled coroutine, which nobody else hears of.
  package var onCloseError: @HostActor (LuaError) -> Void = { _ in }

  /// A weak reference.
  package struct Owner {
    weak var object: (any AnyObject & Sendable)?

    package init(_ object: any AnyObject & Sendable) { self.object = object }
  }

  /// A state with Lua's standard libraries. Beyond `memoryLimit` bytes (0: no limit) a script gets "not enough memory".
  package init(memoryLimit: Int = 0) throws(LuaError) {
    host = .allocate(capacity: 1)
    host.initialize(to: luas_host())
    host.pointee.invoke = { BoundFunction.entries.invoke(BoundFunction.at($1), $0!) }
    host.pointee.ask = { BoundQuestion.ask($0) }
    host.pointee.complete = { BoundFunction.entries.complete(BoundFunction.at($1), $0!) }
    host.pointee.release = { object in
      if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }
    host.pointee.permit = Self.permit
    host.pointee.report = Self.reportFromC
    host.pointee.whereabouts = Self.whereabouts
    guard let stack = luas_newstate(host, 0) else {
      throw LuaError(code: "memory", message: "not enough memory for Lua")
    }
    self.stack = stack
    host.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    guard luas_openlibs(stack) == LUA_OK else { throw takeError(from: stack) }
    objects = makeWeakTable("v")
    traces = makeWeakTable("k")
    errorMetatable = makeErrorMetatable()
    ownerMetatable = makeOwnerMetatable()
    host.pointee.limit = memoryLimit
  }

  /// Ends the state: runs the finalizers and frees everything of it. Values of it that Swift still holds, the functions
  /// it was given among them, keep each other alive until then; afterwards they must not be used.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    Self.obeying.removeAll { $0 === self }
    idle.removeAll()
    luas_close(host)
    bound.removeAll()
  }

  isolated deinit {
    close()
    host.deallocate()
  }

  /// Lua's version, such as `5.4.4`.
  package static var version: String { String(cString: luas_version()) }

  package var globals: LuaTable {
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(LUA_RIDX_GLOBALS))
    return LuaTable(state: self, poppingFrom: stack)
  }

  package func makeTable() -> LuaTable {
    reserve(1, on: stack)
    lua_createtable(stack, 0, 0)
    return LuaTable(state: self, poppingFrom: stack)
  }

  /// The table of a value that becomes one; an empty table for any other value.
  package func makeTable(_ value: LuaValue) -> LuaTable {
    let holder = makeTable()
    holder["value"] = value
    return holder["value"].table ?? makeTable()
  }

  private static let bytecodeMark: UInt8 = 0x1b

  /// Compiles Lua source text (bytecode is refused), named `name` in messages: `import.lua`. Throws `syntax_error`.
  package func load(_ source: [UInt8], name: String) throws(LuaError) -> LuaFunction {
    guard source.first != Self.bytecodeMark else {
      throw LuaError(
        code: "syntax_error", message: "\(name) is compiled Lua, expected Lua source text",
        hint: "run the .lua file that it was made from; compiled code is not checked, and could break out of Lua")
    }
    reserve(2, on: stack)
    let status = source.withUnsafeBytes { bytes in
      luas_load(stack, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, "@" + name)
    }
    guard status == LUA_OK else {
      var error = takeError(from: stack)
      error.code = "syntax_error"
      throw error
    }
    return LuaFunction(state: self, poppingFrom: stack)
  }

  /// Frees what Swift no longer refers to, once that may be much: a script that never waits makes references too.
  func freeReleasedInNumbers() {
    if counts.references >= 256 { freeReleased() }
  }

  func freeReleased() {
    if isClosed { return }
    counts.references = 0
    for index in released.takeAll() { luaL_unref(stack, luas_registryindex(), index) }
  }

  /// Collects everything that neither scripts nor Swift refer to.
  package func collectGarbage() {
    freeReleased()
    luas_collectall(stack)
  }

  func checkOpen() { precondition(!isClosed, "a Lua value was used after its state had been closed") }

  /// Makes room for `count` more values, a few. A host function has it on any stack, and the main thread's is never deep.
  func reserve(_ count: Int32, on stack: LuaStack) {
    checkOpen()
    precondition(lua_checkstack(stack, count) != 0, "the Lua stack cannot grow by \(count)")
  }

  /// Makes room for `count` values of the script's, and a few to build them. False: the stack is full, at a million.
  func hasRoom(_ count: Int, on stack: LuaStack) -> Bool {
    checkOpen()
    return lua_checkstack(stack, Int32(clamping: count + 8)) != 0
  }

  private func makeOwnerMetatable() -> Int32 {
    makeTable().push(onto: stack)
    luas_objectmetatable(stack)
    return luaL_ref(stack, luas_registryindex())
  }

  private func makeWeakTable(_ mode: String) -> Int32 {
    let table = makeTable()
    let metatable = makeTable()
    metatable["__mode"] = .string(mode)
    table.metatable = metatable
    table.push(onto: stack)
    return luaL_ref(stack, luas_registryindex())
  }
}
