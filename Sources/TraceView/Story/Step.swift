/// A row of the sequence diagram: one event, or several alike that are folded into one.
struct Step {
  enum Kind: String {
    /// The script calls a function of the host.
    case call
    /// A request and its answer.
    case exchange
    /// Something goes from one party to another, and nothing comes back.
    case message
    /// Something happens at one party.
    case note
  }

  enum Tone: String { case plain, good, warn, bad, quiet }

  var kind: Kind
  /// The numbers of the events, the first one in front.
  var events: [Int]
  var at: Int
  var took: Int?
  var from: Party
  var to: Party
  /// `POST token`
  var title: String
  /// What came back: `200`, or an answer in words.
  var answer: String?
  var tone = Tone.plain
  /// `sign_in.lua:24`
  var line: String?
  var failure: TraceFailure?
  /// How many events it stands for; more than `events` has where one event is many requests.
  var count = 1
  /// Steps with the same key may be folded into one; nil for those that always stand alone.
  var fold: String?
  /// Seconds of the phases, by name, for the waterfall.
  var phases: [(name: String, took: Int)] = []
  /// When the requests it stands for began, and how long they took, for the waterfall.
  var spans: [(at: Int, took: Int)] = []

  var end: Int { at + (took ?? 0) }
  var isFolded: Bool { count > 1 }

  /// What came of something stands where it is over, below the requests that it took.
  mutating func standAtItsEnd() {
    at = end
    took = nil
  }

  /// The title with the number of events.
  var label: String { isFolded ? "\(title)  ×\u{202F}\(count)" : title }
}
