internal import Foundation
package import ThrongCounting
package import ThrongDelivery
package import ThrongIntake
package import ThrongJournal
package import ThrongPlan
internal import ThrongReport

/// How a daemon is run.
package struct DaemonOptions: Sendable {
    /// What may be counted: one plan an app.
    package var plans: [Plan]
    /// The files that the plans were read from, in the same order; none where they come from elsewhere.
    package var sources: [PlanSource] = []
    /// Reads these files again; nil where SIGHUP reads nothing.
    package var reread: (@Sendable () throws -> [PlanSource])?
    /// Where the daemon keeps what must survive it.
    package var dataPath: String
    /// `database` (string, none, connection string): nil runs a private PostgreSQL in the data directory.
    package var database: String?
    /// `listen` (host:port, 127.0.0.1:8080): where clients post.
    package var listen: Endpoint
    /// `metrics.listen` (host:port, 127.0.0.1:9464): where Prometheus reads.
    package var metrics: Endpoint
    /// `portal` (host:port, none): where partners, analysts and operators look; nil serves no such pages.
    package var portal: Endpoint?
    /// How large a request may be.
    package var limits: IntakeLimits
    /// `intake.origins` (text, *): the origins whose web pages may send and read.
    package var origins: CrossOrigin
    /// `intake.bodies-bytes` (int, 268435456, bytes): what the bodies of requests may take while they arrive.
    package var bodiesBytes: Int
    /// How much of what was counted is held in memory.
    package var bounds: Counting.Bounds
    /// How the journal is kept.
    package var journal: Journal.Options
    /// `flush.keep-minutes` (int, 60, minutes) and `flush.keep-bytes` (int, 1073741824, bytes): how long, and how much of,
    /// what PostgreSQL got is kept in case it loses it.
    package var kept: KeptFlushes.Options
    /// `flush.seconds` (int, 1, seconds): the shortest pause between two flushes.
    package var flushInterval: Duration
    /// `flush.most-seconds` (int, 60, seconds): the longest rest after a flush that took its time.
    package var longestFlushInterval: Duration
    /// `schedule.seconds` (int, 30, seconds): the pause between two looks at what is due.
    package var scheduleInterval: Duration
    /// `intake.request-seconds` (int, 30, seconds): how long a request may take to arrive.
    package var requestDeadline: Duration
    /// `intake.idle-seconds` (int, 75, seconds): how long a connection may say nothing.
    package var idleTimeout: Duration

    /// `release.secret` (path, `installation.secret` in the data directory): by what equally useful numbers of a release are
    /// chosen. Made at the start where there is none.
    package var releaseSecret: String

    /// How reports are signed, printed and sent.
    package var reports: ReportSettings

    /// A host and a port.
    package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        /// A name or an address.
        package let host: String
        /// 0 takes any free port.
        package let port: Int

        /// Puts an endpoint together.
        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Reads "127.0.0.1:8080", "[::1]:8080" or ":8080"; nil for anything else.
        package init?(_ text: String) {
            guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
                (0...65_535).contains(port)
            else { return nil }
            var host = String(text[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            guard !host.contains("[") else { return nil }
            self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
        }

        /// Whether only this machine can connect.
        package var isLoopback: Bool {
            let isNumber = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
            return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumber
        }

        /// "127.0.0.1:8080".
        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The documented defaults.
    package init(plans: [Plan], dataPath: String) {
        self.plans = plans
        self.dataPath = dataPath
        database = nil
        listen = Endpoint(host: "127.0.0.1", port: 8080)
        metrics = Endpoint(host: "127.0.0.1", port: 9464)
        limits = IntakeLimits()
        origins = .everywhere
        bodiesBytes = 256 << 20
        bounds = Counting.Bounds()
        journal = Journal.Options()
        kept = KeptFlushes.Options()
        flushInterval = .seconds(1)
        longestFlushInterval = .seconds(60)
        scheduleInterval = .seconds(30)
        requestDeadline = .seconds(30)
        idleTimeout = .seconds(75)
        releaseSecret = dataPath + "/installation.secret"
        reports = ReportSettings(dataPath: dataPath)
    }
}

extension DaemonOptions {
    /// Makes sure that somebody could listen at all addresses now, by doing so for a moment: better said before a data
    /// directory or a PostgreSQL is made than after.
    ///
    /// - Throws: ``DaemonError/unusableAddress(address:purpose:option:reason:)``.
    func checkAddresses() throws(DaemonError) {
        var listeners: [Int32] = []
        // Together, so that two of them can't be the same.
        defer { listeners.forEach { close($0) } }
        listeners.append(try listen.listener(purpose: "where clients post", option: "--listen"))
        listeners.append(try metrics.listener(purpose: "where Prometheus reads", option: "--metrics"))
        guard let portal else { return }
        listeners.append(
            try portal.listener(purpose: "where partners, analysts and operators look", option: "--portal"))
    }
}

extension DaemonOptions.Endpoint {
    /// A socket that listens here.
    ///
    /// - Parameters:
    ///   - purpose: who comes here, for the message.
    ///   - option: what names another address.
    fileprivate func listener(purpose: String, option: String) throws(DaemonError) -> Int32 {
        func refused(_ reason: String) -> DaemonError {
            .unusableAddress(address: description, purpose: purpose, option: option, reason: reason)
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, String(port), &hints, &found)
        guard failure == 0, let first = found?.pointee else { throw refused(String(cString: gai_strerror(failure))) }
        defer { freeaddrinfo(found) }
        let listener = socket(first.ai_family, first.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), first.ai_protocol)
        guard listener >= 0 else { throw refused(String(cString: strerror(errno))) }
        // Connections of an earlier daemon that are not quite over are no obstacle.
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(listener, first.ai_addr, first.ai_addrlen) == 0, Foundation.listen(listener, 1) == 0 else {
            let reason = errno == EADDRINUSE ? "something listens there already" : String(cString: strerror(errno))
            close(listener)
            throw refused(reason)
        }
        return listener
    }
}
