import Core
package import Files
import ImportEngine
import ImportFormats
package import JSON

/// The document that `--report FILE.json` keeps of a run.
///
/// `version` is 1; members may come to it, but none changes its meaning without another version. Times are seconds, those
/// within the run since its beginning. What there is not is null or missing.
///
/// - `source`, `account`, `api`, `started` (RFC 3339), `seconds`, `rate` (added a second), `options`
/// - `ending`: `finished`, `dry_run`, `interrupted` or `stopped`; then `error` has `code`, `message` and `hint`
/// - `rows`: `total`, `added`, `added_now` and `added_before` (of these, by this run and by earlier ones), `skipped`,
///   `failed`, `unsettled`, `unsent`, `resumed_at`; `lost`: the rows by each field that the server did not keep
/// - `left_out`: the columns that no field comes from
/// - `requests`: `count`, `statuses` and `retries` (how many by status, `none` for no answer, and by error code), `latency`
///   with `mean`, `p50`, `p90`, `p95`, `p99`, `max`
/// - `concurrency`: `highest`, `decreases` by reason, and `changes`, each with `seconds`, `limit` and `reason`
/// - `waits`: `reason`, `description`, `count`, `seconds`
/// - `failures`: by code, each with `count`, `status`, the `reason` of the first one and the numbers of the first `rows`
/// - `failed_rows`: the first of them, each with `row`, `line`, `code`, `status`, `reason`, `text`, `unsettled`
/// - `series`: points in the order of time, at most 600, each with `start`, `seconds`, `rows`, `failed`, `requests`,
///   `in_flight` (on average), `limit`, `p50`, `p95`, `p99`
/// - `journal`, `failed_rows_file`, `failed_table_file`: paths
/// - `advice`: sentences for people
package enum ImportReportJSON {
  package static let version: Int64 = 1

  /// Writes the document to a file, which is there in full or not at all. Throws `unwritable`.
  package static func write(_ summary: ImportSummary, to place: OutputPlace) throws(FileError) {
    try summary.write(document(summary).encoded(pretty: true) + "\n", to: place)
  }

  package static func document(_ summary: ImportSummary) -> JSON {
    let statistics = summary.statistics
    var members: [String: JSON] = [
      "version": .integer(version), "source": .string(summary.source), "account": string(summary.account),
      "api": string(summary.api), "started": .string(UnixTime(Double(summary.startedAt)).iso),
      "seconds": seconds(summary.report.seconds), "rate": ProgressJSON.number(summary.rate, 1),
      "options": .object(summary.options), "ending": .string(summary.ending.code), "rows": rows(summary.report),
      "requests": requests(statistics), "concurrency": concurrency(statistics), "waits": waits(statistics),
      "failures": failures(statistics), "failed_rows": .array(summary.report.failures.map(failure)),
      "series": .array(statistics.series.points.map(point)), "journal": string(summary.journal),
      "failed_rows_file": string(summary.failedRows), "failed_table_file": string(summary.failedTable),
      "left_out": .array((summary.leftOut?.columns ?? []).map(JSON.string)),
      "advice": .array(summary.advice.map(JSON.string)),
    ]
    if case .stopped(let code, let message, let hint) = summary.ending {
      members["error"] = ["code": .string(code), "message": .string(message), "hint": string(hint)]
    }
    return .object(members)
  }

  private static func rows(_ report: ImportReport) -> JSON {
    [
      "total": integer(report.total), "added": integer(report.added), "added_now": integer(report.addedNow),
      "added_before": integer(report.addedBefore), "skipped": integer(report.skipped), "failed": integer(report.failed),
      "unsettled": integer(report.unsettled), "unsent": integer(report.unsent),
      "resumed_at": integer(report.resumed.at),
      "lost": .object(report.lost.mapValues { .integer(Int64($0)) }),
    ]
  }

  private static func requests(_ statistics: ImportStatistics) -> JSON {
    let latencies = statistics.namedLatencies.map { ($0.name, seconds($0.seconds)) }
    return [
      "count": integer(statistics.latencies.count), "statuses": .object(statistics.namedStatuses.mapValues(integer)),
      "retries": .object(statistics.retries.mapValues(integer)),
      "latency": .object(Dictionary(uniqueKeysWithValues: latencies)),
    ]
  }

  private static func concurrency(_ statistics: ImportStatistics) -> JSON {
    let log = statistics.concurrency
    return [
      "highest": integer(statistics.highestConcurrency),
      "decreases": [
        "overloaded": integer(log?.decreases.overloaded ?? 0), "latency": integer(log?.decreases.latency ?? 0),
      ],
      "changes": .array(
        (log?.entries ?? []).map {
          ["seconds": seconds($0.time), "limit": integer($0.limit), "reason": .string($0.reason.rawValue)]
        }),
    ]
  }

  private static func waits(_ statistics: ImportStatistics) -> JSON {
    .array(
      statistics.rankedWaits.map { reason, wait in
        [
          "reason": .string(reason.code), "description": .string(reason.description), "count": integer(wait.count),
          "seconds": seconds(wait.seconds),
        ]
      })
  }

  private static func failures(_ statistics: ImportStatistics) -> JSON {
    .array(
      statistics.rankedFailures.map { code, group in
        [
          "code": .string(code), "count": integer(group.count), "status": integer(group.status),
          "reason": .string(group.reason), "rows": .array(group.rows.map(integer)),
        ]
      })
  }

  private static func failure(_ failure: RowFailure) -> JSON {
    [
      "row": integer(failure.row), "line": integer(failure.line), "code": .string(failure.code),
      "status": integer(failure.status), "reason": .string(failure.reason), "text": .string(failure.text),
      "unsettled": .bool(failure.isUnsettled),
    ]
  }

  private static func point(_ point: TimeSeries.Point) -> JSON {
    [
      "start": seconds(point.start), "seconds": seconds(point.seconds), "rows": integer(point.rows),
      "failed": integer(point.failed), "requests": integer(point.requests),
      "in_flight": ProgressJSON.number(point.inFlight, 1), "limit": integer(point.limit),
      "p50": seconds(point.median), "p95": seconds(point.percentile95), "p99": seconds(point.percentile99),
    ]
  }

  private static func integer(_ value: Int?) -> JSON { ProgressJSON.integer(value) }
  private static func string(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
  private static func seconds(_ value: Double) -> JSON { ProgressJSON.number(value, 6) }
}
