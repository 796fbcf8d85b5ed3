import Synchronization
package import ThrongClient
import ThrongSystem
package import ThrongWire

/// A clock that a test sets. Sleeping takes no time.
package final class TestClock: ClientClock {
    private let now: Mutex<Int64>
    private let slept = Mutex<[Double]>([])

    package init(_ time: UnixSeconds) { now = Mutex(time.value) }

    package var unixSeconds: Int64 { now.withLock { $0 } }
    package var sleeps: [Double] { slept.withLock { $0 } }

    package func set(_ time: UnixSeconds) { now.withLock { $0 = time.value } }
    package func advance(_ seconds: Int64) { now.withLock { $0 += seconds } }

    package func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        slept.withLock { $0.append(seconds) }
    }
}

extension RandomSource {
    /// The same numbers on every run.
    package static func seeded(_ seed: UInt64) -> RandomSource {
        let state = Seeded(seed)
        return RandomSource { state.next() }
    }

    private final class Seeded: Sendable {
        private let generator: Mutex<SeededGenerator>
        init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

        func next() -> UInt64 { generator.withLock { $0.next() } }
    }
}
