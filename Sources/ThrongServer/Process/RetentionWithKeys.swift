package import Foundation
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem

/// Deletes expired data and reports, together with the keys of its backups, and at last its remains in PostgreSQL's pages.
struct RetentionWithKeys: Retention {
    let store: RetentionStore
    /// The folder in which relative paths of deliveries begin.
    let folder: String
    let deletions: DeletionStore
    /// The keys of backups, read anew each time: commands make keys meanwhile.
    let keys: BackupKeys
    /// Rewrites pages; nil if PostgreSQL is the operator's.
    let pages: RewrittenPages?

    func expire(plans: [Plan], now: UnixSeconds) async throws -> ExpiryOutcome {
        let outcome = try await store.expire(plans: plans, now: now)
        try await destroyKeys(now: now, sparing: Set(outcome.troubles.map(\.app.text)))
        return outcome
    }

    func destroyKeys(now: UnixSeconds) async throws { try await destroyKeys(now: now, sparing: []) }

    /// - Parameter apps: the apps of which expired data could not be deleted; their keys stay.
    private func destroyKeys(now: UnixSeconds, sparing apps: Set<String>) async throws {
        let tables = try await goneTables()
        let destroyed = try await onOwnThread { [keys] in
            try keys.destroy { name in
                switch name.term {
                case .always: false
                case .day: name.isOver(at: now) && !apps.contains(name.app)
                case .table(let table): tables.contains(table)
                }
            }
        }
        // If the note can't be written, the round comes again and notices that.
        for (name, count) in destroyed.sorted(by: { $0.key < $1.key }) {
            try await deletions.note(
                backupKeys: count, app: name.app, subject: name.term.text, term: "with what they opened in the house")
        }
        if !destroyed.isEmpty { try await onOwnThread { [keys] in try keys.forgetDestroyed() } }
    }

    func removeCopies(_ plans: [Plan], now: UnixSeconds) async throws -> CopyRetention.Outcome {
        try await CopyRetention(store: store, folder: folder).remove(plans, now: now)
    }

    func rewritePages() async throws { try await pages?.rewriteIfDue() }

    func outlook(_ plans: [Plan]) async throws -> RetentionOutlook {
        let days = try await onOwnThread { [keys] in try keys.all() }
        let due = days.compactMap { key -> RetentionDue? in
            guard case .day(let day) = key.name.term else { return nil }
            return RetentionDue(
                app: AppName(key.name.app), metric: "backups", term: "the key of \(key.name)",
                at: UnixSeconds(day * 86_400), releases: 0)
        }
        let house = try await store.outlook(plans)
        return RetentionOutlook(due: (house.due + due).sorted { $0.at < $1.at }, troubles: house.troubles)
    }

    private func goneTables() async throws -> Set<String> {
        let named = try await onOwnThread { [keys] in try keys.all() }.compactMap { key in
            if case .table(let table) = key.name.term { table } else { nil }
        }
        guard !named.isEmpty else { return [] }
        return Set(named).subtracting(try await deletions.standing(Array(Set(named))))
    }
}

/// Removes deleted rows from a private cluster's pages, too, after a round that deleted something, or the next start.
struct RewrittenPages: Sendable {
    let pages: AgedPages
    let dataPath: String

    /// A ``KeptFile`` with the number of the last deletion that was removed from all pages, as digits and a line break.
    private var path: String { dataPath + "/pages.rewritten" }

    func rewriteIfDue() async throws {
        let last = try await pages.lastDeletion()
        // The pages are rewritten once more if there is no readable file.
        let (known, done) = (try? SystemDisk.shared.kept(at: path, as: .rewrittenPages), Array("\(last)\n".utf8))
        guard last > 0, known != done else { return }
        try await pages.rewrite()
        try SystemDisk.shared.keep(done, at: path, as: .rewrittenPages)
    }
}

extension BackupMarks {
    /// The age from which a backup needs a look. Unit: seconds.
    static let stale: Int64 = 7 * 86_400

    /// Checks that backups go on once they have begun. An operator who copies in another way never begins.
    func check(at now: UnixSeconds) throws {
        let made = try last(.made)
        if let failed = try last(.failed), failed > made ?? .epoch { throw BackupFault.failed }
        // One that was made by a clock that was ahead says nothing of the last week.
        if let made, abs(now - made) > Self.stale { throw BackupFault.stale(made: made) }
        _ = try last(.exported)
    }
}

/// The reason why backups need a look.
enum BackupFault: Error, Hashable, CustomStringConvertible {
    case failed
    case stale(made: UnixSeconds)

    var description: String {
        switch self {
        case .failed: "the last `throng backup` made none: what it printed says why; make one"
        case .stale(let made):
            "the last backup is of \(Instant.text(made)), more than a week from now: does its timer run?"
        }
    }
}

/// The reason why a daemon does not start, or ends.
package enum DaemonError: Error, Sendable, Hashable, CustomStringConvertible {
    case watermarkTooOld(database: UInt64, journal: UInt64)
    case watermarkNeeded(journal: UInt64)
    case checkpointAhead(database: UInt64, checkpoint: UInt64)
    case overtaken(database: UInt64, journal: UInt64)
    case superseded(daemon: UUID)
    case succeeding(daemon: UUID)
    case unusableAddress(address: String, purpose: String, option: String, reason: String)
    case fenced(pending: UInt64)
    case journalFailed

    package var description: String {
        switch self {
        case .watermarkTooOld(let database, let journal):
            """
            PostgreSQL has everything up to batch \(database), and the journal begins after batch \(journal): what lies \
            between them is in neither, nor among the flushes that are kept. The database was probably restored from an \
            older copy. Restore a newer one; if there is none, move `journal`, `flushed` and `daemon.id` out of the data \
            directory to start anew and accept the loss.
            """
        case .watermarkNeeded(let journal):
            "the journal can be read up to batch \(journal), and PostgreSQL may have been given more; "
                + "only PostgreSQL can say where the journal has to go on. Bring it back."
        case .checkpointAhead(let database, let checkpoint):
            "PostgreSQL has everything up to batch \(database), and this daemon, which started while PostgreSQL was "
                + "away, from a checkpoint that takes it to have batch \(checkpoint): the database was restored from "
                + "an older copy. Nothing is lost. Start throng again: it replays the whole journal then."
        case .overtaken(let database, let journal):
            "PostgreSQL has everything up to batch \(database), and this daemon, which took batches while PostgreSQL "
                + "was away, has come to batch \(journal) only: its data directory is an older copy of the one that "
                + "was used last. What it took since its start is not counted. Start throng with the newest copy."
        case .superseded(let daemon):
            "PostgreSQL was last used by another copy of this data directory (daemon "
                + "\(daemon.uuidString.lowercased())). Start throng with that one. If it is gone for good, and with it "
                + "what only it has, remove the file `attachment` from this one and start again."
        case .succeeding(let daemon):
            """
            another process may still hold the place of daemon \(daemon.uuidString.lowercased()) in PostgreSQL. It was told, and \
            this one goes on once it has given the place back, or has not answered for some seconds.
            """
        case .unusableAddress(let address, let purpose, let option, let reason):
            "\(address), \(purpose), can't be listened on: \(reason). "
                + "Stop what listens there, or name another address with \(option). Nothing was started."
        case .fenced(pending: 0):
            "another process has taken this daemon's place in PostgreSQL, so this one has stopped. "
                + "Everything that it acknowledged is counted. Do not start this copy again."
        case .fenced(let pending):
            "another process has taken this daemon's place in PostgreSQL, so this one has stopped. It took \(pending) "
                + "batches that it did not flush. What it had written before the other one started is counted there; "
                + "what came later is only in the journal of this data directory. Do not start this copy again."
        case .journalFailed:
            "the journal could not be written. Nothing that was acknowledged is lost: "
                + "see to the disk, then start again."
        }
    }
}

/// Raised once, when the process has to end; as a service it ends the others then.
final class FailureFlag: Service {
    private let raised = Mutex<DaemonError?>(nil)
    private let (errors, continuation) = AsyncStream<DaemonError>.makeStream()

    /// The reason why the process has to end; nil until it has to.
    var error: DaemonError? { raised.withLock { $0 } }

    func raise(_ error: DaemonError) {
        raised.withLock { $0 = $0 ?? error }
        continuation.yield(error)
    }

    /// Throws the error, and returns once the daemon stops without one.
    func run() async throws {
        for await _ in errors.cancelOnGracefulShutdown() { break }
        if let error { throw error }
    }
}
