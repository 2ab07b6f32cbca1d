import CLua
import CLuaShims
package import HostLoop

/// A Swift object that scripts hold as userdata. One object is one Lua value; it is released when both sides let go.
@HostActor
package protocol LuaObject: AnyObject, Sendable {
  static var luaType: HostType { get }
  /// About how many bytes it takes as a Lua value: they count as the script's memory as long as the script has it.
  var weight: Int { get }
}

extension LuaObject {
  package var weight: Int { 256 }
}

/// The declaration of a `LuaObject` for scripts.
package struct HostType: Sendable {
  /// A field that is computed when it is read.
  package struct Property: Sendable {
    package let name: String
    package let type: LuaType
    /// True if it may be nil.
    package let isOptional: Bool
    package let doc: String
    package let get: @HostActor @Sendable (any LuaObject, LuaState) throws -> LuaValue
    package let set: (@HostActor @Sendable (any LuaObject, LuaValue, LuaState) throws -> Void)?
  }

  /// As `type` messages call it: `account`.
  package let name: String
  package let doc: String
  package let properties: [Property]
  /// Each takes the object as its first argument, or with a dot in its name, `expectation.to_equal`, as its `receiver`.
  package let methods: [HostFunction]
  /// The fields that `field` is known to compute; there may be more.
  package let fields: [Parameter]
  /// Computes a field that is no property; nil for a name that is not there.
  package let field: (@HostActor @Sendable (any LuaObject, _ name: String, LuaState) throws -> LuaValue)?
  /// The names `field` knows now, for `pairs`.
  package let fieldNames: (@HostActor @Sendable (any LuaObject) throws -> [String])?
  /// The text that `tostring` returns.
  package let describe: @HostActor @Sendable (any LuaObject) -> String
  /// Runs when a `<close>` variable goes out of scope.
  package let close: (@HostActor @Sendable (any LuaObject) -> Void)?

  package init(
    _ name: String, _ doc: String, properties: [Property] = [], methods: [HostFunction] = [],
    fields: [Parameter] = [],
    field: (@HostActor @Sendable (any LuaObject, _ name: String, LuaState) throws -> LuaValue)? = nil,
    fieldNames: (@HostActor @Sendable (any LuaObject) throws -> [String])? = nil,
    close: (@HostActor @Sendable (any LuaObject) -> Void)? = nil,
    describe: @escaping @HostActor @Sendable (any LuaObject) -> String
  ) {
    self.name = name
    self.doc = doc
    self.properties = properties
    self.methods = methods
    self.fields = fields
    self.field = field
    self.fieldNames = fieldNames
    self.describe = describe
    self.close = close
  }
}

extension HostType.Property {
  /// A property of objects of the Swift type `T`.
  package init<T: LuaObject>(
    _ name: String, _ type: LuaType, optional isOptional: Bool = false, _ doc: String, of objectType: T.Type,
    set: (@HostActor @Sendable (T, LuaValue, LuaState) throws -> Void)? = nil,
    _ get: @escaping @HostActor @Sendable (T, LuaState) throws -> LuaValue
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.doc = doc
    self.get = { object, state in
      guard let object = object as? T else { return .nil }
      return try get(object, state)
    }
    if let set { self.set = { if let object = $0 as? T { try set(object, $1, $2) } } } else { self.set = nil }
  }
}

/// Owned by the userdata: one reference, released by `__gc`.
final class ObjectBox: Sendable {
  let object: any LuaObject
  init(_ object: any LuaObject) { self.object = object }
}

extension LuaState {
  func push(_ object: any LuaObject, onto stack: LuaStack) {
    reserve(5, on: stack)
    let identity = Unmanaged.passUnretained(object as AnyObject).toOpaque()
    lua_rawgeti(stack, luas_registryindex(), lua_Integer(objects))
    if lua_rawgetp(stack, -1, identity) == LUA_TNIL {
      luas_pop(stack, 1)
      let weight = max(0, object.weight)
      // To Lua it is a few bytes, which bring no collection nearer.
      if weight >= 1 << 10 { luas_collectdue(stack) }
      luas_pushobject(
        stack, Unmanaged.passRetained(ObjectBox(object)).toOpaque(), metatable(of: Swift.type(of: object)), weight)
      lua_pushvalue(stack, -1)
      lua_rawsetp(stack, -3, identity)
    }
    lua_rotate(stack, -2, 1)
    luas_pop(stack, 1)
  }

  func object(at index: Int32, of stack: LuaStack) -> (any LuaObject)? {
    luas_toobject(stack, index).map { Unmanaged<ObjectBox>.fromOpaque($0).takeUnretainedValue().object }
  }

  private func metatable(of type: any LuaObject.Type) -> Int32 {
    if let known = metatables[ObjectIdentifier(type)] { return known }
    let host = type.luaType
    let metatable = makeTable()
    metatable["__name"] = .string(host.name)
    metatable["__index"] = .function(indexFunction(for: host))
    metatable["__newindex"] = assignMethod(for: host)
    metatable["__tostring"] = metamethod("tostring") { arguments in
      guard case .object(let object) = arguments[0] else { return .string(host.name) }
      return .string(host.describe(object))
    }
    if let close = host.close {
      metatable["__close"] = metamethod("close") { arguments in
        if case .object(let object) = arguments[0] { close(object) }
        return .nil
      }
    }
    if let names = host.fieldNames {
      metatable["__pairs"] = pairsMethod { object, state in
        let copy = state.makeTable()
        guard case .object(let object) = object else { return copy }
        for name in try names(object) { copy[name] = try host.field?(object, name, state) ?? .nil }
        return copy
      }
    }
    metatable.push(onto: stack)
    luas_objectmetatable(stack)
    let reference = luaL_ref(stack, luas_registryindex())
    metatables[ObjectIdentifier(type)] = reference
    return reference
  }

  private func indexFunction(for host: HostType) -> LuaFunction {
    var methods: [String: LuaValue] = [:]
    var bound: [String: HostFunction] = [:]
    for method in host.methods {
      if method.isMethod {
        methods[method.shortName] = .function(function(method))
      } else {
        bound[method.shortName] = method
      }
    }
    let properties = Dictionary(host.properties.map { ($0.name, $0) }) { first, _ in first }
    let known = host.methods.map(\.shortName) + host.properties.map(\.name)
    return function(
      HostFunction("index", "", [.any("object"), .any("key")]) { [methods, bound] arguments in
        guard case .object(let object) = arguments[0], let name = arguments[1].string else { return [.nil] }
        if let property = properties[name] { return [try property.get(object, arguments.state)] }
        if let method = methods[name] { return [method] }
        if let function = bound[name] { return [.function(arguments.state.closure(function, of: object))] }
        let value = try host.field?(object, name, arguments.state) ?? .nil
        if value.isNil { arguments.state.miss(name, in: host.name, known) }
        return [value]
      })
  }

  private func assignMethod(for host: HostType) -> LuaValue {
    metamethod("newindex") { arguments in
      let name = arguments[1].string ?? arguments[1].typeName
      let property = host.properties.first { $0.name == name }
      guard case .object(let object) = arguments[0], let set = property?.set else {
        throw LuaError(code: "read_only", message: "\(host.name).\(name) cannot be set")
      }
      try set(object, arguments[2], arguments.state)
      return .nil
    }
  }
}
