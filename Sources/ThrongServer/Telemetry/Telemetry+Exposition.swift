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
        page.gauges(
            "throng_plan_in_force", "1 while this daemon counts by the plan in force, 0 while another one is.",
            plans.all.map { ("app=\"\($0.app)\"", $0.isInForce ? 1 : 0) })
        page.gauge(
            "throng_certificate_end_timestamp_seconds",
            "When the certificate's time is over; 0 where TLS is not spoken.", certificateEnd?.value ?? 0)
        if let spans = spans?.counts {
            page.counter(
                "throng_spans_total", "Spans of traces, by what became of them.",
                [("exported", spans.exported), ("dropped", spans.dropped), ("failed", spans.failed)].map {
                    ("outcome=\"\($0)\"", $1)
                })
        }
        if let disk {
            page.gauge("throng_disk_free_bytes", "Free on the data directory's disk.", disk.free)
            page.gauge("throng_disk_bytes", "Size of the data directory's disk.", disk.size)
        }
        return page.text
    }

    private func addRounds(to page: inout ExpositionPage) {
        let known = rounds.snapshot.map { (labels: "round=\"\($0.rawValue)\"", round: $0, standing: $1) }
            .sorted { $0.labels < $1.labels }
        func gauge(_ name: String, _ help: String, _ value: (Round, RoundHealth.Standing) -> Int) {
            page.gauges(name, help, known.map { ($0.labels, value($0.round, $0.standing)) })
        }
        page.counter(
            "throng_rounds_failed_total", "Rounds that did not come to their end.",
            known.map { ($0.labels, $0.standing.failures) })
        gauge("throng_round_failing", "1 while the last round did not come to its end.") { $1.isFailing ? 1 : 0 }
        gauge("throng_round_last_timestamp_seconds", "When a round came to its end last; the start before the first.") {
            Int($1.last.value)
        }
        gauge("throng_round_due_timestamp_seconds", "By when the next should have come to its end; overdue if past.") {
            Int($1.last.value + $0.promise)
        }
    }
}

private struct ExpositionPage {
    private(set) var text = ""
    private let coarse: CoarseFigures?

    init(_ coarse: CoarseFigures?) { self.coarse = coarse }

    mutating func counter(_ name: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
        head(name, help, "counter")
        for sample in samples {
            let value = coarse?.counter(name, labels: sample.labels, sample.value) ?? sample.value
            text += sample.labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(sample.labels)} \(value)\n"
        }
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int) { counter(name, help, [("", value)]) }

    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        head(name, help, "gauge")
        let value = Double(value)
        text += "\(name) \(coarse?.gauge(name, value) ?? value)\n"
    }

    mutating func gauges(_ name: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
        guard !samples.isEmpty else { return }
        head(name, help, "gauge")
        for sample in samples.sorted(by: { $0.labels < $1.labels }) {
            text += "\(name){\(sample.labels)} \(sample.value)\n"
        }
    }

    mutating func summary(_ name: String, _ help: String, sum: Double, count: Int) {
        head(name, help, "summary")
        guard let coarse else {
            text += "\(name)_sum \(sum)\n\(name)_count \(count)\n"
            return
        }
        // The unit is milliseconds: the step is a second, so that one flush shows in few cases.
        let milliseconds = coarse.counter(name, labels: "sum", Int(sum * 1000), step: 1000)
        text += "\(name)_sum \(Double(milliseconds) / 1000)\n"
        text += "\(name)_count \(coarse.counter(name, labels: "count", count))\n"
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func addIntake(_ counts: Telemetry.Counts, _ gauges: Telemetry.Gauges) {
        counter("throng_batches_received_total", "Requests for counting.", counts.batches.reduce(0, +))
        counter(
            "throng_batches_total", "Requests for counting by how they ended.",
            Telemetry.BatchKind.allCases.map { ("outcome=\"\($0.label)\"", counts.batches[$0.rawValue]) })
        counter("throng_events_accepted_total", "Events that changed a counter.", counts.acceptedEvents)
        counter(
            "throng_events_refused_total", "Events that changed no counter, by reason.",
            RefusalReason.allCases.map { ("reason=\"\($0.rawValue)\"", counts.refusedEvents[$0] ?? 0) })
        counter(
            "throng_batches_refused_total", "Batches refused as a whole, by reason.",
            IntakeError.codes.map { ("reason=\"\($0)\"", counts.refusedBatches[$0] ?? 0) })
        counter(
            "throng_unreadable_clients_total", "Batches of listed proxies that did not say where the client is.",
            counts.unreadableClients)
        counter(
            "throng_connections_refused_total", "Connections that could not be taken, by reason.",
            OpenFiles.Refusal.allCases.map { ("reason=\"\($0)\"", OpenFiles.refused($0)) })
        gauge("throng_journal_bytes", "Bytes of the journal on disk.", gauges.journalBytes)
        gauge("throng_journal_lag_batches", "Batches that PostgreSQL does not have yet.", gauges.journalLag)
        gauge("throng_pending_cells", "Touched counters not flushed yet.", gauges.pendingCells)
        gauge("throng_open_pairs", "Identifier and cell pairs in open windows.", gauges.openPairs)
        gauge("throng_window_bytes", "Memory of open windows, about.", gauges.windowBytes)
        gauge(
            "throng_refusal_bytes", "Memory of refusals that repeated batches are told again.",
            gauges.refusalBytes)
        gauge("throng_body_bytes", "Memory of bodies that are still arriving.", gauges.bodyBytes)
    }

    mutating func addFlushes(
        _ counts: Telemetry.Counts, _ gauges: Telemetry.Gauges, _ schedule: ScheduleHealth.Counts
    ) {
        counter("throng_flushes_total", "Flushes into PostgreSQL.", counts.flushes)
        counter("throng_flush_failures_total", "Flushes that failed and were tried again.", counts.flushFailures)
        counter("throng_flushed_cells_total", "Cells written by flushes.", counts.flushedCells)
        counter("throng_late_cells_total", "Cells moved to the open period.", counts.redirected)
        summary("throng_flush_seconds", "Time spent flushing.", sum: counts.flushSeconds, count: counts.flushes)
        gauge("throng_database_up", "1 while PostgreSQL answers.", counts.isDatabaseUp ? 1 : 0)
        gauge(
            "throng_clock_doubted", "1 while the time of day is not believed, so that nothing is released or deleted.",
            schedule.isClockDoubted ? 1 : 0)
        counter(
            "throng_database_set_backs_total", "Times that PostgreSQL had lost flushes and got them again.",
            counts.setBacks)
        counter(
            "throng_damaged_files_total", "Files of the data directory that were damaged, and are done without.",
            counts.damagedFiles)
        gauge("throng_kept_bytes", "Bytes of flushes kept in case PostgreSQL loses them.", counts.keptBytes)
        counter("throng_saturations_total", "Counters that reached their bounds: an alarm.", gauges.saturations)
    }

    mutating func addReveals(_ counts: Telemetry.Counts) {
        counter(
            "throng_reveals_total", "Values that clients revealed, by what became of them.",
            RevealOutcome.allCases.map { ("outcome=\"\($0.rawValue)\"", counts.reveals[$0] ?? 0) })
        counter(
            "throng_revealed_hashes_dropped_total", "Hashes of values that there was no room to remember.",
            counts.droppedHashes)
        gauges(
            "throng_revealed_labels", "Values that were learned and are counted by name.",
            counts.knownLabels.map { ($0.key, $0.value) })
        counter(
            "throng_credentials_total", "Requests for credentials, by what became of them.",
            (["given"] + CredentialRefusal.codes).map { ("outcome=\"\($0)\"", counts.credentials[$0] ?? 0) })
    }

    mutating func addWork(_ schedule: ScheduleHealth.Counts, _ deliveries: DeliveryHealth.Counts) {
        counter("throng_releases_total", "Releases made.", schedule.releases)
        counter("throng_reports_total", "Reports made.", schedule.reports)
        counter("throng_deliveries_total", "Reports that arrived where they go.", deliveries.deliveries)
        counter("throng_delivery_failures_total", "Tries of deliveries that failed.", deliveries.failures)
        counter("throng_schedule_failures_total", "Releases and reports that failed.", schedule.failures)
        counter("throng_report_failures_total", "Reports that failed.", schedule.reportFailures)
        gauge(
            "throng_last_release_timestamp_seconds", "When this process made a release last; 0 before.",
            schedule.lastRelease.value)
        gauge(
            "throng_last_report_timestamp_seconds", "When this process made a report last; 0 before.",
            schedule.lastReport.value)
        gauges(
            "throng_release_due_timestamp_seconds", "When the next release is due; overdue if past, 0 is none.",
            schedule.releaseDue.map { ("app=\"\($0.key)\"", Int($0.value.value)) })
        gauges(
            "throng_retention_deadline_timestamp_seconds",
            "By when what goes next by its age should be gone; overdue if past, 0 is nothing left.",
            schedule.retentionDeadline.map { ("app=\"\($0.key)\"", Int($0.value.value)) })
        gauges(
            "throng_retention_overdue_steps", "Steps of promises that should have been taken and were not.",
            schedule.retentionOverdue.map { ("app=\"\($0.key)\"", $0.value) })
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
    private static let mebibyte = 1_048_576.0
    /// The steps to which gauges are rounded, by name. Unit: the gauge's.
    private static let grains: [String: Double] = [
        "throng_journal_bytes": mebibyte, "throng_kept_bytes": mebibyte, "throng_window_bytes": mebibyte,
        "throng_refusal_bytes": mebibyte, "throng_body_bytes": mebibyte, "throng_disk_free_bytes": mebibyte,
        "throng_open_pairs": 1024, "throng_pending_cells": 1024, "throng_journal_lag_batches": 1024,
    ]
    /// Counters that no event moves: releases and reports come by the clock.
    private static let steady: Set<String> = [
        "throng_releases_total", "throng_reports_total", "throng_deliveries_total", "throng_delivery_failures_total",
        "throng_schedule_failures_total", "throng_report_failures_total", "throng_database_set_backs_total",
        "throng_flush_failures_total", "throng_saturations_total", "throng_rounds_failed_total",
        "throng_damaged_files_total",
    ]

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
        guard !Self.steady.contains(name), !Fault.tellEachEvent.isOn else { return value }
        return counters.withLock { counters in
            var known = counters["\(name){\(labels)}"] ?? (0, 0)
            known.shown += step * Self.hits(among: value - known.seen, oneIn: step)
            known.seen = max(value, known.seen)
            counters["\(name){\(labels)}"] = known
            return known.shown
        }
    }

    func gauge(_ name: String, _ value: Double) -> Double {
        guard let grain = Self.grains[name] else { return value }
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
