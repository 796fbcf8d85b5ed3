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

    /// What a daemon has answered that has stopped and left nothing behind.
    package static let left = Asking(number: .max, read: .epoch)
}

extension CounterStore {
    /// The last asking whether PostgreSQL has what daemons acknowledged. Read it before anything is frozen, so that the
    /// flush has all that was acknowledged before it was asked.
    package func lastAsking() async throws -> Asking {
        try await connection.run { try $0.one(SelectAsked()) }
    }

    /// Says that everything is in the counters that the attached daemon had acknowledged when an asking was read;
    /// ``Asking/left`` where nothing is to come any more until it attaches again.
    package func settle(_ asking: Asking) async throws {
        let attachment = try currentAttachment()
        try await connection.run { session in
            let touched = try session.run(SettleWatermark(attachment: attachment, asking: asking))
            // Not where another process has its place.
            if asking == .left, touched == 1 { try session.run(StopPlans(daemon: attachment.daemon, kept: [])) }
        }
    }
}
