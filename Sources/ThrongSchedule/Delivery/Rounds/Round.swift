/// A task that a daemon repeats. The list is closed: labels of metrics are made of it.
///
/// Every loop of the daemon makes one of them, by ``PeriodicTask`` or through ``RoundHealth``, so that none can fail in silence.
package enum Round: String, CaseIterable, Sendable {
    /// Counted deltas go to PostgreSQL.
    case flush
    /// Keys and segments of windows that are over go.
    case tidying
    /// Those who asked for it are taken out of windows.
    case withdrawals
    /// Flushes that PostgreSQL can't lose any more go.
    case keptFlushes = "kept_flushes"
    /// Checkpoints of open windows are written for the next start.
    case checkpoints
    /// PostgreSQL is asked whether this process still has its place.
    case place
    /// PostgreSQL is asked who counts.
    case members
    /// PostgreSQL is asked which plans are in force.
    case plans
    /// It is looked at what is due.
    case schedule
    /// Periods are opened by the clock.
    case calendar
    /// Periods that are due are released.
    case releases
    /// Reports that are due are made.
    case reports
    /// Reports that were made are delivered.
    case deliveries
    /// Numbers go by their age.
    case retention
    /// Keys go of what backups have and the house has no more.
    case backupKeys = "backup_keys"
    /// Reports go from folders by their age.
    case copies
    /// Rows that age has deleted go from pages of tables.
    case pages
    /// It is looked at what age has left.
    case age
    /// It is looked at how old the last backup is.
    case backups
    /// Keys of the oblivious gateway come and go.
    case gatewayKeys = "gateway_keys"
    /// Keys of credentials come and go.
    case credentialKeys = "credential_keys"
    /// Keys of apps are read anew.
    case appKeys = "app_keys"
    /// The certificate is read anew.
    case certificate
    /// Connections end with their window.
    case connections
    /// Labels that other daemons learned are looked up.
    case labels
    /// Sessions of pages are forgotten.
    case sessions
    /// Refusals are told in the log.
    case securityLog = "security_log"
    /// Spans are sent to the collector.
    case traces

    /// The rounds that one daemon of many makes for all.
    package static let scheduled: [Round] = [
        .schedule, .calendar, .releases, .reports, .retention, .copies, .pages, .age,
    ]

    /// The longest time between the ends of two rounds. Unit: seconds.
    package var promise: Int64 {
        switch self {
        // Once a day, and again until it succeeds.
        case .retention, .backupKeys, .copies, .pages: 26 * 3600
        // A large release takes its time, and one that waits for another daemon is told of by itself.
        case .schedule, .calendar, .releases, .reports, .deliveries, .age, .checkpoints: 2 * 3600
        // The more cells a flush has, and the more daemons there are, the longer the pause.
        case .flush: 3600
        case .tidying, .withdrawals, .keptFlushes, .place, .members, .plans, .backups, .gatewayKeys,
            .credentialKeys, .appKeys, .certificate, .connections, .labels, .sessions, .securityLog, .traces:
            15 * 60
        }
    }

    package var words: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("_", with: " ") }
}
