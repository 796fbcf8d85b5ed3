internal import Glibc
internal import Synchronization

/// A span that has begun. Its ids are drawn by chance; nothing of a client's is taken over.
package final class OpenSpan: Sendable {
    private let name: SpanName
    private let began = FinishedSpan.now
    private let queue: SpanQueue
    /// The facts so far; nil once it is over.
    private let facts = Mutex<[SpanFact: FinishedSpan.Value]?>([:])

    /// Longer texts are none of a plan's names.
    private static let longestText = 256

    init(_ name: SpanName, into queue: SpanQueue) { (self.name, self.queue) = (name, queue) }

    package func say(_ fact: SpanFact, _ value: Int) { set(fact, .number(Int64(value))) }

    /// Says a text of it, which the program or a plan has; one that is too long is left out.
    package func say(_ fact: SpanFact, _ value: String) {
        if value.utf8.count <= Self.longestText { set(fact, .text(value)) }
    }

    private func set(_ fact: SpanFact, _ value: FinishedSpan.Value) {
        facts.withLock { facts -> Void in facts?[fact] = value }
    }

    /// Ends it and hands it on; nothing where it is over.
    package func end(failed: Bool = false) {
        let last = facts.withLock { facts in
            defer { facts = nil }
            return facts
        }
        guard let last else { return }
        queue.add(
            FinishedSpan(
                name: name, began: began, ended: max(began, FinishedSpan.now), facts: last, isFailed: failed))
    }
}

/// A span that is over: names and facts of the closed lists, and nothing else.
package struct FinishedSpan: Sendable {
    enum Value: Sendable, Hashable {
        case number(Int64)
        case text(String)
    }

    let name: SpanName
    let trace: (UInt64, UInt64) = (.random(in: 1 ... .max), .random(in: 1 ... .max))
    let span = UInt64.random(in: 1 ... .max)
    /// Unit: nanoseconds since 1970.
    let began: UInt64
    let ended: UInt64
    let facts: [SpanFact: Value]
    let isFailed: Bool

    /// Unit: nanoseconds since 1970.
    fileprivate static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
