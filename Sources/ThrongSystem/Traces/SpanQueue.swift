internal import Synchronization

/// Spans on their way out. Whoever adds one never waits: where the queue is full, it is dropped and counted.
package final class SpanQueue: Sendable {
    package struct Counts: Sendable, Hashable {
        package var exported = 0
        package var dropped = 0
        package var failed = 0
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var counts = Counts()
    }

    /// The most spans that wait: some 2 MB.
    package static let most = 4096

    private let state = Mutex(State())
    private let most: Int

    package init(most: Int = SpanQueue.most) { self.most = most }

    package var counts: Counts { state.withLock { $0.counts } }

    func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.waiting.count < most {
                state.waiting.append(span)
            } else {
                state.counts.dropped += 1
            }
        }
    }

    func take(_ count: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    func note(_ count: Int, areExported: Bool) {
        state.withLock { state in
            if areExported { state.counts.exported += count } else { state.counts.failed += count }
        }
    }
}
