internal import CLinux
internal import Foundation
internal import NIOCore

/// The number of files, and so of connections, that this process may have open.
enum OpenFiles {
    /// The reason why a connection was not accepted. The list is closed: labels of a metric are made of it.
    enum Refusal: Int, CaseIterable {
        /// No descriptor was left but those that are kept, or none at all.
        case descriptors
        /// The kernel had no memory for one.
        case memory
        /// The connection, the network or a rule of the firewall.
        case network
    }

    /// Descriptors held back for files that have to be opened in any case. No connection gets as many again.
    private static let held = 16
    /// Descriptors of an event loop, with those of the turns of four listeners' connections.
    private static let perLoop = 11
    /// Descriptors of the journal, PostgreSQL, listeners, signals, timers and the log.
    private static let house = 24
    private static let fewest = 4
    private static let most = 1 << 20

    private static var reserve: Int { house + perLoop * System.coreCount + 2 * held }

    /// Raises the limit as far as the system lets it, and reserves the descriptors that are needed later.
    static func settle() {
        var limit = current
        limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
        // If that is refused, the limit stays as it was, and so does the number of connections.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        throng_hold_descriptors(Int32(held))
        // Dispatch has a descriptor for each clock, from its first timer on: one that had none would never ring.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {}
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) {}
    }

    /// The connections of scrapers and of a person who looks: more than arrive at once before a request has been read.
    static var scrapers: Int { max(all / 16, fewest) }
    static var browsers: Int { max(all / 8, fewest) }
    static var daemons: Int { max(all / 8, fewest) }

    /// Returns the connections of clients: the rest. A later connection takes the place of a silent one.
    static func clients(besideDaemons: Bool) -> Int {
        max(all - browsers - scrapers - (besideDaemons ? daemons : 0), fewest)
    }

    static func refused(_ reason: Refusal) -> Int {
        let number =
            switch reason {
            case .descriptors: CONNECTION_NO_DESCRIPTOR
            case .memory: CONNECTION_NO_MEMORY
            case .network: CONNECTION_FAILED
            }
        return Int(clamping: throng_refused_connections(Int32(number)))
    }

    /// Lets a listener accept connections with the descriptors held back, as long as half of them are left.
    static func prefer(_ listener: any Channel) {
        // The listeners here are all sockets.
        try? listener.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
            throng_prefer_listener($0)
        }
    }

    /// The connections of all listeners. A part of the limit is left for those that are about to close.
    private static var all: Int { max(0, Int(min(current.rlim_cur, rlim_t(most))) - reserve) / 9 * 8 }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}

/// The settings of a process, made once before it takes anything.
enum ProcessSettings {
    private static let mappedBytes: CInt = 1 << 20
    private static let heaps: CInt = 4

    /// Forbids core files, and other processes of the same user to read the memory: identifiers pass through it.
    static func forbidCoreFiles() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A core file's limit does not hold for a crash handler behind a pipe; this does.
        _ = throng_forbid_dumps()
    }

    /// Makes the C library give the tables of a flush back to the system then, so that memory follows open windows.
    ///
    /// By default glibc raises the size from which a block has pages of its own with each such block that is freed (to
    /// 32 MiB), and has eight heaps for each core. Memory then follows the largest flush that each of them ever saw.
    static func settleAllocator() { throng_settle_allocator(mappedBytes, heaps) }
}
