internal import ThrongStore

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
