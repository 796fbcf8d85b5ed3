internal import Foundation

/// How many files, and so connections, this process may have open.
enum OpenFiles {
    /// What the journal, PostgreSQL, the event loops and the log need: clients must not take it.
    private static let reserve = 64
    private static let fewest = 16
    private static let most = 1 << 20

    /// Raises the limit as far as the system lets it.
    static func raiseLimit() {
        var limit = current
        limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
        // Where that is refused, the limit stays what it was, and so does the number of connections.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Of scrapers, and of somebody who looks: more than arrive at once before a request has been read.
    static var scrapers: Int { max(all / 16, fewest) }
    /// Of browsers of partners and of those who run this.
    static var browsers: Int { max(all / 8, fewest) }
    /// Of clients: the rest. Whoever comes later gets the place of one that is silent.
    static var connections: Int { max(all - browsers - scrapers, fewest) }

    /// A part is left for those that are about to close.
    private static var all: Int { (Int(min(current.rlim_cur, rlim_t(most))) - reserve) / 9 * 8 }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
