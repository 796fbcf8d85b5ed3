internal import CDescriptors
internal import Foundation
internal import NIOCore

/// How many files, and so connections, this process may have open.
enum OpenFiles {
    /// Why connections were not taken. A closed list: labels of a metric are made of it.
    enum Refusal: Int, CaseIterable {
        /// No descriptor was left but those that are kept, or none at all.
        case descriptors
        /// The kernel had no memory for one.
        case memory
        /// The connection, the network or a rule of the firewall.
        case network
    }

    /// Held back for what has to be opened whatever others take; as many again are left free, and no connection gets them.
    private static let held = 16
    /// Descriptors of an event loop, with those by which the connections of four listeners take turns.
    private static let perLoop = 11
    /// Descriptors of the journal, PostgreSQL, listeners, signals, timers and the log.
    private static let house = 24
    private static let fewest = 4
    private static let most = 1 << 20

    private static var reserve: Int { house + perLoop * System.coreCount + 2 * held }

    /// Raises the limit as far as the system lets it, and takes what this process can't do without later.
    static func settle() {
        var limit = current
        limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
        // Where that is refused, the limit stays what it was, and so does the number of connections.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        throng_hold_descriptors(Int32(held))
        // Dispatch has a descriptor for each clock, from its first timer on: one that had none would never ring.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) {}
    }

    /// Of scrapers, and of somebody who looks: more than arrive at once before a request has been read.
    static var scrapers: Int { max(all / 16, fewest) }
    /// Of browsers of partners and of those who run this.
    static var browsers: Int { max(all / 8, fewest) }
    /// Of other daemons, where they hand on what is this one's.
    static var daemons: Int { max(all / 8, fewest) }

    /// Of clients: the rest. Whoever comes later gets the place of one that is silent.
    static func clients(besideDaemons: Bool) -> Int {
        max(all - browsers - scrapers - (besideDaemons ? daemons : 0), fewest)
    }

    /// How many connections were not taken since the start.
    static func refused(_ reason: Refusal) -> Int {
        let number =
            switch reason {
            case .descriptors: CONNECTION_NO_DESCRIPTOR
            case .memory: CONNECTION_NO_MEMORY
            case .network: CONNECTION_FAILED
            }
        return Int(clamping: throng_refused_connections(Int32(number)))
    }

    /// Lets a listener take connections by what is held back, as long as half of that is there: whoever runs this has to see what goes on.
    static func prefer(_ listener: any Channel) {
        // Nothing that is no socket listens here.
        try? listener.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
            throng_prefer_listener($0)
        }
    }

    /// A part is left for those that are about to close.
    private static var all: Int { max(0, Int(min(current.rlim_cur, rlim_t(most))) - reserve) / 9 * 8 }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
