internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongStore

/// The parts of a daemon once its data directory is open and its journal replayed.
struct DaemonParts: Sendable {
    let data: DataDirectory
    /// The daemon's own PostgreSQL; nil if it runs none.
    let cluster: PrivateCluster?
    let settings: ConnectionSettings
    let database: DatabaseLink
    let telemetry: Telemetry
    let failure: FailureFlag
    let kept: KeptFlushes
    let offered: OfferedMark
    let ingestion: Ingestion
    let trustedClock: MachineClock
    /// The keys that issue credentials and check presented ones.
    let credentialKeys: EpochKeys
    /// The position up to which the journal can't be read: PostgreSQL or kept flushes must have what is before.
    let unreadable: JournalPosition
}

/// The connections to PostgreSQL that the services of a running daemon share.
struct DaemonStores: Sendable {
    let releases: ReleaseStore
    let members: MemberStore
    /// The connection that rewrites pages which age has emptied; nil unless the daemon runs its own PostgreSQL.
    let pages: Connection?

    init(_ parts: DaemonParts) {
        releases = ReleaseStore(parts.settings)
        members = MemberStore(parts.settings)
        pages = parts.cluster.map { Connection($0.settings) }
    }

    /// Closes the connections once the services have ended.
    func close() {
        releases.close()
        pages?.close()
    }
}
