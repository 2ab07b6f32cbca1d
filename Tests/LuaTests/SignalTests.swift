import Testing

/// One after the other: a signal reaches every state of the process that obeys it.
@Suite("Signals", .serialized)
enum SignalTests {}
