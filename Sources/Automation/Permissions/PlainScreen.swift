/// The control sequence before a question: the terminal shows the question as it is, as the last text on the screen,
/// whatever was written before.
enum PlainScreen {
  static let sequence = parts.joined()

  /// The order matters: modes that would swallow later sequences are reset first.
  private static let parts = [
    // Ends an unfinished sequence (CAN), or an unfinished title or the like (ST).
    "\u{18}\u{1B}\\",
    // Out of the VT52's mode, where a terminal reads none of these.
    "\u{1B}<",
    // Media Copy off: output goes to the screen, not to a printer (printer controller, auto print).
    "\u{1B}[4i", "\u{1B}[?4i",
    // Output is shown, not held back (synchronized output).
    "\u{1B}[?2026l",
    // The usual colors of palette, text, background, cursor and selection.
    "\u{1B}]104\u{1B}\\", "\u{1B}]110\u{1B}\\", "\u{1B}]111\u{1B}\\", "\u{1B}]112\u{1B}\\", "\u{1B}]117\u{1B}\\",
    "\u{1B}]119\u{1B}\\",
    // No link under the text.
    "\u{1B}]8;;\u{1B}\\",
    // No margins, which would scroll it away (DECLRMM, DECSTBM), with the cursor back where it was.
    "\u{1B}7\u{1B}[?69l\u{1B}[r\u{1B}8",
    // No hidden, protected or double-height text, no reversed screen.
    "\u{1B}[0m\u{1B}[0\"q\u{1B}#5\u{1B}[?5l",
    // The usual characters: UTF-8, ASCII as every set (G0 to G3), and the first of them in use.
    "\u{1B}%G\u{1B}(B\u{1B})B\u{1B}*B\u{1B}+B\u{0F}",
    // Lines that wrap, text that replaces what is there, a line feed that is no more, keys that work and a cursor.
    "\u{1B}[?7h\u{1B}[4l\u{1B}[20l\u{1B}[2l\u{1B}[?25h",
    // Nothing below.
    "\u{1B}[J",
  ]
}
