/// The state of an import that machines share, for people.
package struct SharedSummary: Sendable, Equatable {
  package let id: String
  /// The most rows a second of all machines together; nil for no limit.
  package let rate: Double?
  package var workers: [WorkerSummary] = []
  package var blocks = OpenBlocks()
  /// Rows whose fate is found out at the end.
  package var unknown = 0
  package var trouble: String?

  package init(id: String, rate: Double?) {
    self.id = id
    self.rate = rate
  }
}

/// The numbers of blocks that are not done.
package struct OpenBlocks: Sendable, Equatable {
  /// Blocks that wait.
  package var free = 0
  /// Blocks that machines work on.
  package var claimed = 0
  /// Blocks that failed too often.
  package var held = 0

  package init() {}

  package var count: Int { free + claimed + held }
}

/// A worker as others see it.
package struct WorkerSummary: Sendable, Equatable {
  package let id: String
  package let machine: String
  package let process: Int
  package let importID: String?
  package let isAlive: Bool
  package let added: Int
  package let failed: Int
  /// Rows a second.
  package let rate: Double
  package let blocks: Int

  package init(
    id: String, machine: String, process: Int, importID: String?, isAlive: Bool, added: Int, failed: Int, rate: Double,
    blocks: Int
  ) {
    self.id = id
    self.machine = machine
    self.process = process
    self.importID = importID
    self.isAlive = isAlive
    self.added = added
    self.failed = failed
    self.rate = rate
    self.blocks = blocks
  }
}
