package import ThrongPlan
internal import ThrongPostgres

/// A question to all daemons: whether PostgreSQL has what they acknowledged before it was asked.
package struct Asking: Sendable, Hashable {
    /// Counted from 1; 0 where nobody has asked yet.
    package let number: Int64
    /// When it was read, by PostgreSQL's clock.
    package let read: UnixSeconds

    /// Puts one together.
    package init(number: Int64, read: UnixSeconds) {
        self.number = number
        self.read = read
    }

    /// Where numbers begin that nobody asks by: who has stopped answers by them. Source: `watermark.settled`.
    private static let stopped: Int64 = 1 << 62

    /// What a daemon answers that stops.
    ///
    /// - Parameter owes: when windows are over of which PostgreSQL lacks something that only their end brings: from then on releases
    ///   wait for it. Nil where it leaves nothing behind.
    package static func left(owing owes: UnixSeconds?) -> Asking {
        Asking(number: owes.map { stopped + min(max($0.value, 0), stopped / 2) } ?? .max, read: .epoch)
    }

    /// What a daemon has answered that has stopped and left nothing behind.
    package static let left = left(owing: nil)

    /// Whether this is the answer of one that stops.
    package var hasStopped: Bool { number >= Self.stopped }

    /// Whether who answered by this owes something at an instant.
    package func owes(at now: UnixSeconds) -> Bool {
        hasStopped && number < .max && number - Self.stopped <= now.value
    }
}

extension CounterStore {
    /// The last asking whether PostgreSQL has what daemons acknowledged. Read it before anything is frozen, so that the
    /// flush has all that was acknowledged before it was asked.
    package func lastAsking() async throws -> Asking {
        try await connection.run { try $0.one(SelectAsked()) }
    }

    /// Says that everything is in the counters that the attached daemon had acknowledged when an asking was read;
    /// ``Asking/left(owing:)`` where nothing is to come any more until it attaches again.
    ///
    /// - Parameter until: when the last window is over whose end brings PostgreSQL something; nil for none.
    package func settle(_ asking: Asking, owing until: UnixSeconds? = nil) async throws {
        let attachment = try currentAttachment()
        try await connection.run { session in
            // Not where another process has its place, or the same was said a moment ago.
            guard try session.run(SettleWatermark(attachment: attachment, asking: asking)) == 1 else { return }
            _ = try session.run(OweUntil(daemon: attachment.daemon, until: until))
            if asking.hasStopped { try session.run(StopPlans(daemon: attachment.daemon, kept: [])) }
        }
    }
}
