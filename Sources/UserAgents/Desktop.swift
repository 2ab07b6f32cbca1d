/// What an environment says of the desktop.
struct Desktop {
  /// Whether a window can be shown.
  let hasDisplay: Bool
  /// Whether this is a session over SSH.
  let isRemote: Bool

  init(_ environment: [String: String]) {
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: isSet)
    isRemote = ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].contains(where: isSet)
  }
}
