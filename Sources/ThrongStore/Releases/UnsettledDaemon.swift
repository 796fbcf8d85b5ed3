/// A daemon that has not said that PostgreSQL has all that it acknowledged.
public struct UnsettledDaemon: Sendable, Hashable {
    /// Its name in the database.
    public let daemon: DaemonID
    /// How long nothing was heard of it. Unit: seconds.
    public let silence: Int64

    /// Puts it together.
    public init(daemon: DaemonID, silence: Int64) {
        self.daemon = daemon
        self.silence = silence
    }
}
