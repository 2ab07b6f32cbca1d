import HostLoop

/// The hooks of a run's plugins, in the order of the plugins.
@HostActor
final class Hooks {
  private var hooks: [HookEvent: [Hook]] = [:]

  func add(_ hook: Hook) { hooks[hook.event, default: []].append(hook) }

  subscript(_ event: HookEvent) -> [Hook] { hooks[event] ?? [] }
}
