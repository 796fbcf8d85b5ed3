internal import CLibPQ

/// The server's notices, of which one fact is kept: they may quote values. Used on the connection's thread only.
final class Notices {
    /// True if a commit ended without the replica that it was to wait for.
    private var isUnreplicated = false

    /// Listens to a connection, which must not outlive this object.
    func listen(to handle: OpaquePointer) {
        PQsetNoticeReceiver(
            handle,
            { notices, result in
                guard let notices, let result else { return }
                // This is PG_DIAG_SOURCE_FUNCTION: the text is in the server's language, and its code is that of any
                // warning.
                guard let place = PQresultErrorField(result, Int32(UnicodeScalar("R").value)) else { return }
                guard String(cString: place) == Notices.wait else { return }
                Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().isUnreplicated = true
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns whether a commit since the last call was not replicated.
    func takeUnreplicated() -> Bool {
        defer { isUnreplicated = false }
        return isUnreplicated
    }

    /// The function in which PostgreSQL waits for synchronous replicas, and warns that it gives up.
    private static let wait = "SyncRepWaitForLSN"
}
