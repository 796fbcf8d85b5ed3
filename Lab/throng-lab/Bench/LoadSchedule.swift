internal import Foundation
internal import ThrongSystem

/// The instants at which requests are due, whatever becomes of those before them: an open loop.
///
/// A generator that waits for an answer before it sends the next request asks least when the server is slowest, and so
/// leaves the worst out of its percentiles (coordinated omission: Tene 2013, "How not to measure latency").
package struct LoadSchedule: Sendable {
    /// The spread of the instants.
    package enum Spread: Sendable {
        /// The same pause between all.
        case even
        /// Independent clients: pauses are exponential, with the same mean.
        case poisson
    }

    private let pause: Double
    private let end: Double
    private let spread: Spread
    private var random: SeededGenerator
    private var number = 0.0
    private var last = 0.0

    /// A schedule that lasts `duration`.
    ///
    /// - Parameters:
    ///   - rate: requests a second; more than 0.
    ///   - share: this schedule is the `share.place`th of `share.of` that make up the rate together.
    package init(
        rate: Double, duration: Duration, spread: Spread = .even, seed: UInt64 = 1,
        share: (place: Int, of: Int) = (0, 1)
    ) {
        pause = Double(share.of) / rate * 1e9
        end = duration / .nanoseconds(1)
        self.spread = spread
        random = SeededGenerator(seed: seed &+ UInt64(share.place) &* 0xD134_2543_DE82_EF95)
        // Schedules that run side by side take turns.
        if case .even = spread { number = Double(share.place) / Double(share.of) }
    }

    /// Returns the instant at which the next request is due; nil once the schedule is over. Unit: nanoseconds from its
    /// start.
    package mutating func next() -> Int64? {
        let due: Double
        switch spread {
        case .even:
            due = number * pause
            number += 1
        case .poisson:
            last -= log(1 - random.fraction()) * pause
            due = last
        }
        return due < end ? Int64(due) : nil
    }
}
