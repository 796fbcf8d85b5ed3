internal import Foundation
internal import Synchronization
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem
internal import ThrongWire

/// The page that Prometheus reads.
extension Telemetry {
    /// Returns the figures in the Prometheus text exposition format, version 0.0.4; coarse ones, from which no single
    /// event follows, unless only this machine can read them. The disk is the data directory's; the certificate has no
    /// end without TLS.
    func text(
        _ gauges: Gauges, disk: (free: Int, size: Int)?, certificateEnd: UnixSeconds? = nil,
        coarse: CoarseFigures? = nil
    ) -> String {
        let counts = snapshot
        let schedule = schedule.snapshot
        var page = ExpositionPage(coarse)
        page.addIntake(counts, gauges)
        page.addFlushes(counts, gauges, schedule)
        page.addReveals(counts)
        page.addWork(schedule, deliveries.snapshot)
        addRounds(to: &page)
        page.gauges("throng_plan_in_force", plans.all.map { ("app=\"\($0.app)\"", $0.isInForce ? 1 : 0) })
        page.gauge("throng_certificate_end_timestamp_seconds", certificateEnd?.value ?? 0)
        if let spans = spans?.counts {
            page.counter(
                "throng_spans_total",
                [("exported", spans.exported), ("dropped", spans.dropped), ("failed", spans.failed)].map {
                    ("outcome=\"\($0)\"", $1)
                })
        }
        if let disk {
            page.gauge("throng_disk_free_bytes", disk.free)
            page.gauge("throng_disk_bytes", disk.size)
        }
        return page.text
    }

    private func addRounds(to page: inout ExpositionPage) {
        let known = rounds.snapshot.map { (labels: "round=\"\($0.rawValue)\"", round: $0, standing: $1) }
            .sorted { $0.labels < $1.labels }
        func gauge(_ name: String, _ value: (Round, RoundHealth.Standing) -> Int) {
            page.gauges(name, known.map { ($0.labels, value($0.round, $0.standing)) })
        }
        page.counter("throng_rounds_failed_total", known.map { ($0.labels, $0.standing.failures) })
        gauge("throng_round_failing") { $1.isFailing ? 1 : 0 }
        gauge("throng_round_last_timestamp_seconds") { Int($1.last.value) }
        gauge("throng_round_due_timestamp_seconds") { Int($1.last.value + $0.promise) }
    }
}

private struct ExpositionPage {
    private(set) var text = ""
    private let coarse: CoarseFigures?

    init(_ coarse: CoarseFigures?) { self.coarse = coarse }

    mutating func counter(_ name: String, _ samples: [(labels: String, value: Int)]) {
        head(name)
        for sample in samples {
            let value = coarse?.counter(name, labels: sample.labels, sample.value) ?? sample.value
            text += sample.labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(sample.labels)} \(value)\n"
        }
    }

    mutating func counter(_ name: String, _ value: Int) { counter(name, [("", value)]) }

    /// Adds a counter for each case, under its word as a label.
    mutating func counter<Case>(_ name: String, _ all: [Case], _ label: String, _ sample: (Case) -> (String, Int?)) {
        counter(name, all.map(sample).map { ("\(label)=\"\($0)\"", $1 ?? 0) })
    }

    mutating func gauge(_ name: String, _ value: some BinaryInteger) {
        head(name)
        let value = Double(value)
        text += "\(name) \(coarse?.gauge(name, value) ?? value)\n"
    }

    mutating func gauges(_ name: String, _ samples: [(labels: String, value: Int)]) {
        guard !samples.isEmpty else { return }
        head(name)
        for sample in samples.sorted(by: { $0.labels < $1.labels }) {
            text += "\(name){\(sample.labels)} \(sample.value)\n"
        }
    }

    mutating func summary(_ name: String, sum: Double, count: Int) {
        head(name)
        guard let coarse else {
            text += "\(name)_sum \(sum)\n\(name)_count \(count)\n"
            return
        }
        // The unit is milliseconds: the step is a second, so that one flush shows in few cases.
        let milliseconds = coarse.counter(name, labels: "sum", Int(sum * 1000), step: 1000)
        text += "\(name)_sum \(Double(milliseconds) / 1000)\n"
        text += "\(name)_count \(coarse.counter(name, labels: "count", count))\n"
    }

    private mutating func head(_ name: String) {
        let figure = Figure[name]
        text += "# HELP \(name) \(figure.help)\n# TYPE \(name) \(figure.type)\n"
    }

    mutating func addIntake(_ counts: Telemetry.Counts, _ gauges: Telemetry.Gauges) {
        counter("throng_batches_received_total", counts.batches.reduce(0, +))
        let (kinds, reasons) = (Telemetry.BatchKind.allCases, RefusalReason.allCases)
        counter("throng_batches_total", kinds, "outcome") { ($0.label, counts.batches[$0.rawValue]) }
        counter("throng_events_accepted_total", counts.acceptedEvents)
        counter("throng_events_refused_total", reasons, "reason") { ($0.rawValue, counts.refusedEvents[$0]) }
        counter("throng_batches_refused_total", IntakeError.codes, "reason") { ($0, counts.refusedBatches[$0]) }
        counter("throng_unreadable_clients_total", counts.unreadableClients)
        let refusals = OpenFiles.Refusal.allCases
        counter("throng_connections_refused_total", refusals, "reason") { ("\($0)", OpenFiles.refused($0)) }
        gauge("throng_journal_bytes", gauges.journalBytes)
        gauge("throng_journal_lag_batches", gauges.journalLag)
        gauge("throng_pending_cells", gauges.pendingCells)
        gauge("throng_open_pairs", gauges.openPairs)
        gauge("throng_window_bytes", gauges.windowBytes)
        gauge("throng_refusal_bytes", gauges.refusalBytes)
        gauge("throng_body_bytes", gauges.bodyBytes)
    }

    mutating func addFlushes(
        _ counts: Telemetry.Counts, _ gauges: Telemetry.Gauges, _ schedule: ScheduleHealth.Counts
    ) {
        counter("throng_flushes_total", counts.flushes)
        counter("throng_flush_failures_total", counts.flushFailures)
        counter("throng_flushed_cells_total", counts.flushedCells)
        counter("throng_late_cells_total", counts.redirected)
        summary("throng_flush_seconds", sum: counts.flushSeconds, count: counts.flushes)
        gauge("throng_database_up", counts.isDatabaseUp ? 1 : 0)
        gauge("throng_clock_doubted", schedule.isClockDoubted ? 1 : 0)
        counter("throng_database_set_backs_total", counts.setBacks)
        counter("throng_damaged_files_total", counts.damagedFiles)
        gauge("throng_kept_bytes", counts.keptBytes)
        counter("throng_saturations_total", gauges.saturations)
    }

    mutating func addReveals(_ counts: Telemetry.Counts) {
        counter("throng_reveals_total", RevealOutcome.allCases, "outcome") { ($0.rawValue, counts.reveals[$0]) }
        counter("throng_revealed_hashes_dropped_total", counts.droppedHashes)
        gauges("throng_revealed_labels", counts.knownLabels.map { ($0.key, $0.value) })
        let outcomes = ["given"] + CredentialRefusal.codes
        counter("throng_credentials_total", outcomes, "outcome") { ($0, counts.credentials[$0]) }
    }

    mutating func addWork(_ schedule: ScheduleHealth.Counts, _ deliveries: DeliveryHealth.Counts) {
        counter("throng_releases_total", schedule.releases)
        counter("throng_reports_total", schedule.reports)
        counter("throng_deliveries_total", deliveries.deliveries)
        counter("throng_delivery_failures_total", deliveries.failures)
        counter("throng_schedule_failures_total", schedule.failures)
        counter("throng_report_failures_total", schedule.reportFailures)
        gauge("throng_last_release_timestamp_seconds", schedule.lastRelease.value)
        gauge("throng_last_report_timestamp_seconds", schedule.lastReport.value)
        func byApp<Value>(_ name: String, _ values: [AppName: Value], _ number: (Value) -> Int) {
            gauges(name, values.map { ("app=\"\($0)\"", number($1)) })
        }
        byApp("throng_release_due_timestamp_seconds", schedule.releaseDue) { Int($0.value) }
        byApp("throng_retention_deadline_timestamp_seconds", schedule.retentionDeadline) { Int($0.value) }
        byApp("throng_retention_overdue_steps", schedule.retentionOverdue) { $0 }
    }
}

/// The facts of a figure: a line of `Figures.txt`, which the build puts into the program.
private struct Figure {
    let type, grain, help: String

    private static let all = Dictionary(
        uniqueKeysWithValues: String(decoding: PackageResources.Figures_txt, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { line in
                let words = line.split(separator: " ", maxSplits: 3).map { String($0.drop { $0 == " " }) }
                return (words[0], Figure(type: words[1], grain: words[2], help: words[3]))
            })

    static subscript(name: String) -> Figure {
        guard let figure = all[name] else { preconditionFailure("Figures.txt lacks \(name)") }
        return figure
    }
}

/// The figures of `/metrics` if other machines may read it: enough to see that a daemon is well, and no number from
/// which single events follow (attack 37).
///
/// - A counter that events move is sampled: each step of the true one is shown with a chance of one in ``step``, as
///   ``step``. It is right on average, to about √(``step`` × n) of n, and no difference of two readings is a number of
///   events. A single event shows in one of ``step`` cases. Chances are drawn once for each step, so that reading often
///   tells no more.
/// - A gauge that events move is rounded up or down to a multiple, by chance, so that it is right on average as well.
/// - The page is made once in ``pause`` and shown again until then, so that nothing has a second of its own.
///
/// Buckets of fixed width would not do: an attacker who sends events until a number jumps knows it exactly.
final class CoarseFigures: Sendable {
    /// The step of a sampled counter. Unit: events.
    static let step = 20
    /// The time for which a page is shown.
    static let pause = Duration.seconds(60)

    private let shown = Mutex<(text: String, made: ContinuousClock.Instant)?>(nil)
    private let counters = Mutex<[String: (seen: Int, shown: Int)]>([:])

    /// Returns the page to show now; its numbers go through ``counter(_:labels:_:)`` and ``gauge(_:_:)``.
    func page(at now: ContinuousClock.Instant, make: () -> String) -> String {
        shown.withLock { page in
            if let page, now - page.made < Self.pause, !Fault.tellEachEvent.isOn { return page.text }
            let text = make()
            page = (text, now)
            return text
        }
    }

    /// Returns the value that a counter shows.
    ///
    /// - Complexity: O(1 + rise / step).
    func counter(_ name: String, labels: String, _ value: Int, step: Int = CoarseFigures.step) -> Int {
        guard Figure[name].grain != "steady", !Fault.tellEachEvent.isOn else { return value }
        return counters.withLock { counters in
            var known = counters["\(name){\(labels)}"] ?? (0, 0)
            known.shown += step * Self.hits(among: value - known.seen, oneIn: step)
            known.seen = max(value, known.seen)
            counters["\(name){\(labels)}"] = known
            return known.shown
        }
    }

    func gauge(_ name: String, _ value: Double) -> Double {
        guard let grain = Double(Figure[name].grain) else { return value }
        let low = (value / grain).rounded(.down)
        return grain * (Double.random(in: 0..<1) < value / grain - low ? low + 1 : low)
    }

    /// Returns the number of hits among `draws` with a chance of one in `step` each: gaps between hits are geometric.
    private static func hits(among draws: Int, oneIn step: Int) -> Int {
        var (left, hits) = (draws, 0)
        let miss = log(1 - 1 / Double(step))
        while left > 0 {
            let gap = (log(Double.random(in: Double.leastNonzeroMagnitude..<1)) / miss).rounded(.down)
            guard gap < Double(left) else { break }
            left -= Int(gap) + 1
            hits += 1
        }
        return hits
    }
}
