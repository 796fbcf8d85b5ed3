internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// The daemon's access to PostgreSQL, as `throng_ingest`: registers layouts and adds flushes to counters, each once.
package final class CounterStore: Sendable {
    /// The connection for flushes and registrations.
    let connection: Connection
    /// The connection for questions about the attachment, which must not wait behind a flush.
    let watch: Connection
    let state = Mutex(State())

    struct State {
        var metrics: [MetricLayout: RegisteredLayout] = [:]
        var attachment: Attachment?
        var partitions: Set<PartitionDay> = []
    }

    struct RegisteredLayout: Sendable {
        let id: LayoutID
        let metric: PendingFlush.Metric
    }

    /// This process's right to flush.
    struct Attachment: Sendable {
        let daemon: DaemonID
        let fence: Int64
        let shard: Int16
    }

    /// A UTC day on which a partition is known to begin or to be under way.
    struct PartitionDay: Hashable, Sendable {
        let kind: PeriodKind
        let day: Int64
    }

    package init(_ settings: ConnectionSettings) {
        let own = settings.acting(as: .ingest)
        connection = Connection(own.waitingForLocks(seconds: Self.lockSeconds))
        watch = Connection(Self.watching(own))
    }

    /// Returns the settings for questions about an attachment. Nothing waits for the answer, and a late answer is
    /// better than none.
    static func watching(_ settings: ConnectionSettings) -> ConnectionSettings {
        Fault.outliveLease.isOn
            ? settings.brisk(seconds: 2) : settings.brisk(seconds: standingSeconds, connecting: standingSeconds)
    }

    /// The time that a flush or a registration waits for a lock before it is tried again. Unit: seconds.
    private static let lockSeconds = 30
    /// The time limit of questions about an attachment. Unit: seconds.
    private static let standingSeconds = 10

    /// Returns PostgreSQL's record of a daemon; nil where it has never seen it.
    package func watermark(of daemon: DaemonID) async throws -> Watermark? {
        try await connection.first(Query.selectWatermark(daemon: daemon))
    }

    /// Takes the daemon's place in the counters: from now on every other process with this id is fenced off.
    ///
    /// - Parameters:
    ///   - fence: higher than every fence that this daemon has had.
    ///   - holder: the proof by which others learn later that this process is gone; nil for none.
    ///   - address: the URL at which other daemons reach this one; nil where they can't.
    ///   - hasWaited: true if another process may still have the place, and had to be heard of by now. If it was heard
    ///     of since `known`, nothing is taken.
    /// - Returns: the watermark; the journal after it is still to be flushed.
    /// - Throws: ``StoreError/fenced(daemon:)`` where another process attached meanwhile, or was heard of;
    ///   ``StoreError/retired(daemon:)`` where others count for this daemon.
    package func attach(
        daemon: DaemonID, replacing known: Watermark?, fence: Int64, holder: String? = nil, address: String? = nil,
        hasWaited: Bool = false
    ) async throws -> JournalPosition {
        try await attach(
            daemon: daemon, replacing: known, fence: fence, holder: holder, address: address, hasWaited: hasWaited,
            takesBatches: true)
    }

    private func attach(
        daemon: DaemonID, replacing known: Watermark?, fence: Int64, holder: String? = nil, address: String? = nil,
        hasWaited: Bool = false, takesBatches: Bool
    ) async throws -> JournalPosition {
        let (position, shard) = try await connection.run { session in
            let enroll = Query.enrollMember(daemon: daemon, address: address, takesBatches: takesBatches)
            guard let shard = try session.one(enroll) else { throw StoreError.retired(daemon: daemon) }
            let attach = Query.attachWatermark(
                daemon: daemon, shard: shard, fence: fence, found: known?.fence ?? 0, holder: holder,
                still: hasWaited ? known?.position : nil)
            guard let position = try session.first(attach) else { throw StoreError.fenced(daemon: daemon) }
            return (position, shard)
        }
        state.withLock { $0.attachment = Attachment(daemon: daemon, fence: fence, shard: shard) }
        return position
    }

    /// Attaches over whatever was there before, for a caller that takes no batches of clients.
    package func attach(daemon: DaemonID) async throws -> JournalPosition {
        let known = try await watermark(of: daemon)
        return try await attach(daemon: daemon, replacing: known, fence: (known?.fence ?? 0) + 1, takesBatches: false)
    }

    /// Tells the holder of a daemon's place that this process takes it; false while it flushes, or another was faster.
    package func claim(daemon: DaemonID, from known: Watermark, fence: Int64) async throws -> Bool {
        try await connection.run(
            Query.claimWatermark(daemon: daemon, fence: known.fence, claim: fence, shard: known.shard)) == 1
    }

    /// Returns whether another process waits to take this one's place, and tells it that it was heard and has to wait
    /// anew. It is one question, over a connection of its own.
    package func hearClaim() async throws -> Claim {
        let attachment = try currentAttachment()
        return try await watch.run { session in
            let select = Query.selectWatermark(daemon: attachment.daemon)
            let answers = try session.pipeline([Query.hearWatermark(attachment: attachment), select.statement])
            guard answers.count == 2 else { throw PostgresError.unexpectedAnswer(query: "watermark.select") }
            let mark = try select.rows(answers[1]).first
            if let mark, mark.fence > attachment.fence { throw StoreError.fenced(daemon: attachment.daemon) }
            // A database that is older than our attachment, or never saw it, lets nobody hear.
            guard let mark, mark.claimed > attachment.fence else { return .nobody }
            return mark.claim == -mark.claimed && mark.fence == attachment.fence ? .heard : .unheard
        }
    }

    /// Returns PostgreSQL's record of a daemon, asked over the same connection; nil where it has never seen it.
    package func standing(of daemon: DaemonID) async throws -> Watermark? {
        try await watch.first(Query.selectWatermark(daemon: daemon))
    }

    /// The claim of another process on this one's place.
    package enum Claim: Sendable, Hashable {
        /// No process had announced one by then.
        case nobody
        /// A process waits, knows that it was heard, and waits anew.
        case heard
        /// A process waits and does not know that it was heard: this process is flushing, or its database was set back.
        case unheard
    }

    /// Gives this process's place back, so that the next one need not wait for it.
    package func release() async throws {
        let attachment = try currentAttachment()
        try await connection.run(Query.releaseWatermark(attachment: attachment))
    }

    /// Returns the position up to which the attached daemon's journal has been added to the counters.
    package func watermark() async throws -> JournalPosition {
        let attachment = try currentAttachment()
        return try await connection.run { try Self.position(of: attachment, $0) }
    }

    /// Returns the latest end of the attached daemon's windows that were closed after a place in its journal;
    /// PostgreSQL has their results. Nil where none was closed.
    package func closedUntil(after position: JournalPosition) async throws -> UnixSeconds? {
        let attachment = try currentAttachment()
        return try await connection.one(
            Query.selectWindowClosing(daemon: attachment.daemon, after: position, shard: attachment.shard))
    }

    /// Forgets names and partitions: the database may have been replaced.
    package func forgetSchema() {
        state.withLock { state in
            state.metrics = [:]
            state.partitions = []
        }
    }

    package func close() {
        connection.close()
        watch.close()
    }

    package func close(within length: Duration) {
        connection.close(within: length)
        watch.close(within: length)
    }

    func currentAttachment() throws(StoreError) -> Attachment {
        guard let attachment = state.withLock({ $0.attachment }) else { throw .notAttached }
        return attachment
    }

    /// Reads the watermark under an attachment's fence. Fences only grow, so a lower one means a database that is older
    /// than the attachment.
    static func position(of attachment: Attachment, _ session: Session) throws -> JournalPosition {
        let mark = try session.first(Query.selectWatermark(daemon: attachment.daemon))
        guard let mark, mark.fence >= attachment.fence else {
            throw StoreError.attachmentLost(daemon: attachment.daemon)
        }
        guard mark.fence == attachment.fence else { throw StoreError.fenced(daemon: attachment.daemon) }
        return mark.position
    }

    /// Creates the partitions for these period starts, unless they are known to be there.
    func ensurePartitions(_ wanted: Set<PeriodStart>, _ session: Session) throws {
        let missing = state.withLock { state in wanted.filter { !state.partitions.contains($0.partition) } }
        guard !missing.isEmpty else { return }
        for (kind, starts) in Dictionary(grouping: missing, by: \.kind).sorted(by: { $0.key < $1.key }) {
            try session.run(Query.ensurePartitions(kind: kind, starts: starts.map(\.start).sorted()))
        }
        state.withLock { $0.partitions.formUnion(missing.map(\.partition)) }
    }

    /// True if the partitions for these period starts are known to be there.
    func knowsPartitions(_ wanted: Set<PeriodStart>) -> Bool {
        state.withLock { state in wanted.allSatisfy { state.partitions.contains($0.partition) } }
    }

    /// Forgets the partitions that exist: another process has dropped some.
    func forgetPartitions() { state.withLock { $0.partitions = [] } }

    struct PeriodStart: Hashable, Sendable {
        let kind: PeriodKind
        let start: UnixSeconds

        var partition: PartitionDay { PartitionDay(kind: kind, day: start.flooredQuotient(by: 86_400)) }
    }

    /// Returns the last asking whether PostgreSQL has what daemons acknowledged. Read it before anything is frozen, so
    /// that the flush has all that was acknowledged before it was asked.
    package func lastAsking() async throws -> Asking { try await connection.one(Query.selectAsked()) }

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

/// A question to all daemons: is everything in PostgreSQL that they acknowledged before it was asked?
package struct Asking: Sendable, Hashable {
    /// The number, counted from 1; 0 where nobody has asked yet.
    package let number: Int64
    /// The time it was read, by PostgreSQL's clock.
    package let read: UnixSeconds

    package init(number: Int64, read: UnixSeconds) { (self.number, self.read) = (number, read) }

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
    package func owes(at now: UnixSeconds) -> Bool { hasStopped && number < .max && number - Self.stopped <= now.value }
}
