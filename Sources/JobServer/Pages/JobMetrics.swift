import Core
import Files
import Glibc
import HostLoop
import JobConditions
import Jobs

/// The metrics of a job host in the text format of Prometheus, version 0.0.4.
@HostActor
final class JobMetrics {
  static let type = "text/plain; version=0.0.4; charset=utf-8"
  private nonisolated static let buckets: [Double] = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600]

  private struct Key: Hashable {
    let job: String
    let result: String
  }

  private struct Durations {
    var counts = [Int](repeating: 0, count: buckets.count)
    var count = 0
    var sum = 0.0
  }

  private let host: JobHost
  private let start = UnixTime.now.seconds
  private var results: [Key: Int] = [:]
  private var durations: [String: Durations] = [:]

  init(_ host: JobHost) {
    self.host = host
    host.watch { [weak self] in if case .run(let run) = $0 { self?.count(run) } }
  }

  private func count(_ run: RunRecord) {
    guard !run.state.isOpen else { return }
    results[Key(job: run.job, result: run.state.rawValue.replacing(" ", with: "_")), default: 0] += 1
    guard let started = run.started, let ended = run.ended else { return }
    let seconds = Double(max(0, ended - started)) / 1000
    var all = durations[run.job] ?? Durations()
    for (index, bucket) in Self.buckets.enumerated() where seconds <= bucket { all.counts[index] += 1 }
    all.count += 1
    all.sum += seconds
    durations[run.job] = all
  }

  func text(_ part: JobPart, hooks: [String: Int], machines: [JobMachine]) -> String {
    var page = MetricsText()
    let jobs = part.jobs
    // A job that was removed has its counters where all jobs have theirs.
    let names = part.isWhole ? nil : Set(jobs.map(\.record.name))
    let isShown = { (job: String) in names?.contains(job) ?? true }
    add(machines, to: &page)
    page.begin("b2c_run_ready", "gauge", "1 if the server takes what comes, as /readyz says.")
    page.add([], host.condition.isReady ? 1 : 0)
    page.begin(
      "b2c_run_jobs", "gauge", "The jobs. The other metrics are about \(JobPart.most) of them at most: see q, after.")
    page.add([], Double(part.all))
    page.begin("b2c_run_job_state", "gauge", "The state of each job: 1 for the current state.")
    for job in jobs {
      for state in ["ready", "running", "paused", "held", "broken"] {
        page.add([("job", job.record.name), ("state", state)], job.state == state ? 1 : 0)
      }
    }
    page.begin("b2c_run_job_failures", "gauge", "The failed runs of a job in a row.")
    for job in jobs { page.add([("job", job.record.name)], Double(job.record.failures)) }
    page.begin("b2c_run_job_next_due_timestamp_seconds", "gauge", "The next due time of a job.")
    for job in jobs { if let next = job.next { page.add([("job", job.record.name)], Double(next) / 1000) } }
    page.begin("b2c_run_job_last_success_timestamp_seconds", "gauge", "The end of the last run that ended well.")
    for job in jobs {
      guard let ended = job.runs.first(where: { $0.state == .ok })?.ended else { continue }
      page.add([("job", job.record.name)], Double(ended) / 1000)
    }
    page.begin("b2c_run_runs_total", "counter", "The runs that ended since the start of the host, by result.")
    for (key, count) in results.sorted(by: { ($0.key.job, $0.key.result) < ($1.key.job, $1.key.result) })
    where isShown(key.job) {
      page.add([("job", key.job), ("result", key.result)], Double(count))
    }
    page.begin("b2c_run_run_duration_seconds", "histogram", "The time from the start of a run to its end.")
    for (job, all) in durations.sorted(by: { $0.key < $1.key }) where isShown(job) {
      for (bucket, count) in zip(Self.buckets, all.counts) {
        page.add([("job", job), ("le", MetricsText.number(bucket))], Double(count), suffix: "_bucket")
      }
      page.add([("job", job), ("le", "+Inf")], Double(all.count), suffix: "_bucket")
      page.add([("job", job)], all.sum, suffix: "_sum")
      page.add([("job", job)], Double(all.count), suffix: "_count")
    }
    let load = host.load
    page.begin("b2c_run_runs_running", "gauge", "The runs that are running.")
    page.add([], Double(load.running))
    page.begin("b2c_run_runs_queued", "gauge", "The runs that wait for their turn.")
    page.add([], Double(load.queued))
    page.begin("b2c_run_webhook_requests_total", "counter", "The received requests since the start, by status.")
    for (status, count) in hooks.sorted(by: { $0.key < $1.key }) { page.add([("status", status)], Double(count)) }
    page.begin("process_start_time_seconds", "gauge", "The start of the host.")
    page.add([], start)
    page.begin("process_resident_memory_bytes", "gauge", "The memory of the host.")
    page.add([], Self.residentBytes)
    return page.text
  }

  private func add(_ machines: [JobMachine], to page: inout MetricsText) {
    guard !machines.isEmpty else { return }
    page.begin("b2c_run_machine_state", "gauge", "The state of each machine: 1 for the current state.")
    for machine in machines {
      for state in ["planning", "standing by", "draining", "away"] {
        page.add([("machine", machine.name), ("state", state)], machine.state == state ? 1 : 0)
      }
    }
    page.begin("b2c_run_machine_beat_timestamp_seconds", "gauge", "When a machine last said that it is alive.")
    for machine in machines { page.add([("machine", machine.name)], machine.beat) }
    page.begin("b2c_run_machine_runs_running", "gauge", "The running runs of a machine.")
    for machine in machines { page.add([("machine", machine.name)], Double(machine.running)) }
  }

  private static var residentBytes: Double {
    let bytes = (try? FileSystem.contents(of: "/proc/self/statm", limit: 256)) ?? []
    let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Double($0) }
    return (pages ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE)))
  }
}

private struct MetricsText {
  private(set) var text = ""
  private var name = ""

  mutating func begin(_ name: String, _ type: String, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  mutating func add(_ labels: [(String, String)], _ value: Double, suffix: String = "") {
    let pairs = labels.map { name, value in
      let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\(name)=\"\(value)\""
    }
    text += name + suffix + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(Self.number(value))\n"
  }

  static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }
}
