/// A daemon that has not said that PostgreSQL has all that it acknowledged.
package struct UnsettledDaemon: Sendable, Hashable {
    /// Its name in the database.
    package let daemon: DaemonID
    /// How long nothing was heard of it. Unit: seconds.
    package let silence: Int64

    /// Puts it together.
    package init(daemon: DaemonID, silence: Int64) {
        self.daemon = daemon
        self.silence = silence
    }
}
