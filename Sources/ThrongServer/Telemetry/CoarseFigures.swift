internal import Foundation
internal import Synchronization
internal import ThrongSystem

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
