internal import Synchronization
internal import ThrongWire

/// The records that nobody has looked at yet: the only thing that ``Throng/record(_:_:)`` touches.
final class Inbox: Sendable {
    /// One call, with its own moment.
    struct Record: Sendable {
        let event: String
        let fields: [String: EventValue]
        let unixSeconds: UnixSeconds
    }

    private struct State {
        var records: [Record] = []
        var overflow = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds a record; beyond the limit it is only counted.
    func put(_ record: Record) {
        state.withLock { state in
            if state.records.count < limit { state.records.append(record) } else { state.overflow += 1 }
        }
    }

    func takeAll() -> (records: [Record], overflow: Int) {
        state.withLock { state in
            defer { state = State() }
            return (state.records, state.overflow)
        }
    }
}
