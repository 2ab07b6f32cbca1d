import Glibc

/// The terminal that results are shown on.
enum Screen {
  /// Columns; 80 where that is not known.
  static var width: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
