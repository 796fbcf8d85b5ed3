import Synchronization
package import ThrongClient

/// A clock that a test sets. Sleeping takes no time.
package final class TestClock: ClientClock {
    private let now: Mutex<Int64>
    private let slept = Mutex<[Double]>([])

    package init(_ unixSeconds: Int64) { now = Mutex(unixSeconds) }

    package var unixSeconds: Int64 { now.withLock { $0 } }
    package var sleeps: [Double] { slept.withLock { $0 } }

    package func set(_ unixSeconds: Int64) { now.withLock { $0 = unixSeconds } }
    package func advance(_ seconds: Int64) { now.withLock { $0 += seconds } }

    package func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        slept.withLock { $0.append(seconds) }
    }
}

extension RandomSource {
    /// The same numbers on every run (SplitMix64; Steele, Lea and Flood 2014).
    package static func seeded(_ seed: UInt64) -> RandomSource {
        let state = Seeded(seed)
        return RandomSource { state.next() }
    }

    private final class Seeded: Sendable {
        private let state: Mutex<UInt64>
        init(_ seed: UInt64) { state = Mutex(seed) }

        func next() -> UInt64 {
            let word = state.withLock { state in
                state &+= 0x9E37_79B9_7F4A_7C15
                return state
            }
            let first = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            let second = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
            return second ^ (second >> 31)
        }
    }
}
