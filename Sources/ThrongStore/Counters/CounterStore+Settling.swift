internal import ThrongPostgres

extension CounterStore {
    /// What a daemon has answered that has stopped and left nothing behind.
    package static let left = Int64.max

    /// The last asking whether PostgreSQL has what daemons acknowledged. Read it before anything is frozen, so that the
    /// flush has all that was acknowledged before it was asked.
    package func lastAsking() async throws -> Int64 {
        try await connection.run { try $0.one(SelectAsked()) }
    }

    /// Says that everything is in the counters that the attached daemon had acknowledged when an asking was read;
    /// ``left`` where nothing is to come any more until it attaches again.
    package func settle(_ asking: Int64) async throws {
        let attachment = try currentAttachment()
        try await connection.run { session in
            let touched = try session.run(SettleWatermark(attachment: attachment, asking: asking))
            // Not where another process has its place.
            if asking == Self.left, touched == 1 { try session.run(StopPlans(daemon: attachment.daemon, kept: [])) }
        }
    }
}
