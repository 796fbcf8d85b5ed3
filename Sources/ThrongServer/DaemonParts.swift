internal import ThrongCounting
internal import ThrongCredentials
internal import ThrongJournal
internal import ThrongPostgres
internal import ThrongSchedule
internal import ThrongStore

/// What a daemon stands on once its data directory is open and its journal replayed.
struct DaemonParts: Sendable {
    let data: DataDirectory
    /// The PostgreSQL of its own, where it runs one.
    let cluster: PrivateCluster?
    let settings: ConnectionSettings
    let database: DatabaseLink
    let telemetry: Telemetry
    let failure: FailureFlag
    let kept: KeptFlushes
    let offered: OfferedMark
    let ingestion: Ingestion
    let houseClock: MachineClock
    /// By which credentials are issued, and what is presented is checked.
    let credentialKeys: EpochKeys
    /// What the journal can't tell any more: PostgreSQL or the kept flushes must have it.
    let unreadable: JournalPosition
}
