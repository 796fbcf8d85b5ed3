internal import Foundation
internal import ThrongSystem

/// A fixed piece of work, to hold times of a shared machine against: what else ran slows both down.
struct Yardstick {
    /// Unit: seconds.
    let seconds: Double
    /// Processes that wanted a processor, the mean of the last minute.
    let load: Double

    /// Sorts four million seeded numbers of 64 bits once.
    static func measure() -> Yardstick {
        var random = SeededGenerator(seed: 1)
        var numbers = (0..<4_000_000).map { _ in random.next() }
        let took = ContinuousClock().measure { numbers.sort() }
        var loads = [0.0, 0, 0]
        let known = getloadavg(&loads, 3)
        precondition(numbers[0] <= numbers[1], "sorted numbers ascend")
        return Yardstick(seconds: took / .seconds(1), load: known > 0 ? loads[0] : .nan)
    }

    /// One line.
    var text: String {
        "reference: 4,000,000 numbers sorted in \(Self.rounded(seconds)) s, load \(Self.rounded(load)), "
            + "peak \(SuppressionBench.peak() / 1024) MiB so far"
    }

    /// Two decimals.
    static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
