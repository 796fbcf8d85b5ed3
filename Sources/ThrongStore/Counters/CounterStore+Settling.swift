package import ThrongPlan

/// A question to all daemons: is everything in PostgreSQL that they acknowledged before it was asked?
package struct Asking: Sendable, Hashable {
    /// The number, counted from 1; 0 where nobody has asked yet.
    package let number: Int64
    /// The time it was read, by PostgreSQL's clock.
    package let read: UnixSeconds

    package init(number: Int64, read: UnixSeconds) {
        self.number = number
        self.read = read
    }

    /// The first of the numbers that no asking has; daemons that stopped answer by these. Source: `watermark.settled`.
    private static let stopped: Int64 = 1 << 62

    /// Returns the answer of a daemon that stops.
    ///
    /// - Parameter owes: the end of windows whose end brings PostgreSQL something that it still lacks. Releases wait
    ///   for that from then on. Nil if the daemon leaves nothing behind.
    package static func left(owing owes: UnixSeconds?) -> Asking {
        Asking(number: owes.map { stopped + min(max($0.value, 0), stopped / 2) } ?? .max, read: .epoch)
    }

    /// The answer of a daemon that has stopped and left nothing behind.
    package static let left = left(owing: nil)

    /// True if this is the answer of a daemon that stops.
    package var hasStopped: Bool { number >= Self.stopped }

    /// True if the daemon that answered by this owes something at `now`.
    package func owes(at now: UnixSeconds) -> Bool {
        hasStopped && number < .max && number - Self.stopped <= now.value
    }
}

extension CounterStore {
    /// Returns the last asking whether PostgreSQL has what daemons acknowledged. Read it before anything is frozen, so
    /// that the flush has all that was acknowledged before it was asked.
    package func lastAsking() async throws -> Asking {
        try await connection.one(Query.selectAsked())
    }

    /// Confirms that the counters have everything that the attached daemon had acknowledged when an asking was read.
    /// Pass ``Asking/left(owing:)`` if nothing more comes until it attaches again.
    package func settle(_ asking: Asking, owing until: UnixSeconds? = nil) async throws {
        let attachment = try currentAttachment()
        try await connection.run { session in
            // The row stays as it is if another process has the place, or the same was confirmed a moment ago.
            guard try session.run(Query.settleWatermark(attachment: attachment, asking: asking)) == 1 else { return }
            _ = try session.run(Query.oweUntil(daemon: attachment.daemon, until: until))
            if asking.hasStopped { try session.run(Query.stopPlans(daemon: attachment.daemon, kept: [])) }
        }
    }
}
