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
