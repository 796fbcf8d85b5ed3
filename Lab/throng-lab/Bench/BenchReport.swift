import Foundation
import Histogram
import ThrongLoad
import ThrongSystem

/// The output of `throng bench`.
struct BenchReport: Encodable {
    /// Requests a second that the schedule asked for; nil where each answer brought on the next request.
    let askedRate: Double?
    /// Answers of 202 a second.
    let rate: Double
    let eventsPerSecond: Double
    /// The most that it took, where that was measured first. Unit: requests a second.
    var most: Double?
    let seconds: Double
    /// The time from when a request was due to the end of its answer.
    let milliseconds: Percentiles
    /// The time from when a request was due to when the generator wrote it, where a connection was free.
    let generatorMilliseconds: Percentiles
    /// Requests for which no connection was free when they were due.
    let waited: Int
    let requests: Int
    let statuses: [String: Int]
    let unanswered: Int
    let failed: Int
    let refusedEvents: Int

    struct Percentiles: Encodable {
        let p50: Double
        let p90: Double
        let p99: Double
        let p999: Double
        let max: Double

        init(_ histogram: Histogram<UInt64>) {
            func milliseconds(_ percentile: Double) -> Double {
                Double(histogram.valueAtPercentile(percentile)) / 1e6
            }
            p50 = milliseconds(50)
            p90 = milliseconds(90)
            p99 = milliseconds(99)
            p999 = milliseconds(99.9)
            max = Double(histogram.max) / 1e6
        }
    }

    init(_ tally: LoadTally, asked: Double?, eventsPerBatch: Int) {
        askedRate = asked
        rate = tally.rate
        eventsPerSecond = tally.rate * Double(eventsPerBatch)
        seconds = tally.seconds
        milliseconds = Percentiles(tally.latency)
        generatorMilliseconds = Percentiles(tally.lateness)
        waited = tally.waited
        requests = tally.requests
        statuses = Dictionary(uniqueKeysWithValues: tally.statuses.map { ("\($0.key)", $0.value) })
        unanswered = tally.unanswered
        failed = tally.failed
        refusedEvents = tally.refusedEvents
    }

    /// The table that people read.
    var text: String {
        func rate(_ number: Double) -> String {
            "\(Terminal.grouped(Int(number.rounded()))) requests/s"
        }
        func time(_ percentiles: Percentiles) -> String {
            [
                ("p50", percentiles.p50), ("p90", percentiles.p90), ("p99", percentiles.p99),
                ("p99.9", percentiles.p999), ("max", percentiles.max),
            ].map { "\($0.0) \(String(format: "%.2f", $0.1))" }.joined(separator: "   ") + "   ms"
        }
        var rows = [
            ("asked for", askedRate.map(rate) ?? "the next request with each answer"),
            ("had", "\(rate(self.rate)), \(Terminal.grouped(Int(eventsPerSecond))) events/s for \(Int(seconds)) s"),
            ("answered after", time(milliseconds)),
        ]
        if let most { rows.insert(("takes at most", rate(most)), at: 0) }
        if askedRate != nil {
            rows.append(("generator late by", time(generatorMilliseconds)))
            rows.append(
                ("no connection free", "for \(Terminal.grouped(waited)) of \(Terminal.grouped(requests)) requests"))
        }
        rows += statuses.sorted { $0.key < $1.key }.map { ("status \($0.key)", Terminal.grouped($0.value)) }
        if unanswered > 0 { rows.append(("no answer", Terminal.grouped(unanswered))) }
        if refusedEvents > 0 { rows.append(("events refused", Terminal.grouped(refusedEvents))) }
        return Terminal.table(rows)
    }
}
