internal import Foundation
internal import HummingbirdCore
internal import Logging
package import ThrongCredentials
package import ThrongIngest
package import ThrongJournal
package import ThrongPlan
package import ThrongSchedule
package import ThrongSystem

package struct DaemonOptions: Sendable {
    package var plans: [Plan]
    /// The files that the plans were read from, in the same order; none if they come from elsewhere.
    package var sources: [RunningPlan] = []
    /// Reads these files, and the settings, again; nil if SIGHUP reads nothing.
    package var reread: (@Sendable () throws -> PlanReading)?
    /// The data directory: the path of all that must survive the process.
    package var dataPath: String
    /// `database` (string, none, connection string): nil runs a private PostgreSQL in the data directory.
    package var database: String?
    /// `listen` (host:port or unix:path, 127.0.0.1:8080): the address for clients.
    package var listen = Endpoint(host: "127.0.0.1", port: 8080)
    /// `metrics.listen` (host:port or unix:path, 127.0.0.1:9464): the address for Prometheus, without TLS.
    package var metrics = Endpoint(host: "127.0.0.1", port: 9464)
    /// `metrics-hosts` (names, none): the host names that Prometheus may use, beside addresses and this machine's own
    /// name.
    package var metricsHosts: [String] = []
    /// `portal` (host:port or unix:path, none): the address for partners, analysts and operators; nil serves no such
    /// pages.
    package var portal: Endpoint?
    /// `members` (host:port, none): the address for other daemons that hand on this one's requests; nil takes none.
    package var members: Endpoint?
    /// `advertise` (URL, http or https with the address of `members`): the URL by which other daemons reach it.
    package var advertised: String?
    /// `members.authorities` (path, the system's): certificates that vouch for other daemons.
    package var memberAuthorities: String?
    /// The files for TLS with clients and people; nil uses plain HTTP.
    package var tls: TLSFiles?
    /// `intake.proxies` (addresses and networks, none): the proxies whose connections to the clients' port begin with a
    /// header of the PROXY protocol, version 2.
    package var proxies = Proxies.none
    /// `intake.forwarders` (addresses and networks, none): the proxies whose `X-Forwarded-For` or `Forwarded` tells the
    /// address of a request's client.
    package var forwarders = Proxies.none
    /// `intake.network-identifiers` (int, 10000, identifiers): the most that one network may bring at once and in an
    /// hour, a hundred times as many events, and the memory for that.
    package var quotas = NetworkTallies.Limits()
    package var limits = IntakeLimits()
    /// `intake.origins` (text, *): the origins whose web pages may send and read.
    package var origins = CrossOrigin.everywhere
    /// The memory for the bodies of requests while they arrive: the default holds thousands of them. Unit: bytes.
    package var bodiesBytes = 256 << 20
    /// `stop.drain-seconds` (int, 0, seconds): the time for which `/readyz` announces a stop, so that a balancer sends
    /// no more requests.
    package var drain = Duration.zero
    /// Called with the name of a server, such as `clients`, and its URL once it listens.
    package var onListening: (@Sendable (_ name: String, _ url: String) -> Void)?
    package var versions: [(name: String, version: String)] = []
    /// The service manager that wants to know the process's state; nil if there is none.
    package var serviceManager: ServiceManager?
    package var bounds = Counting.Bounds()
    package var journal = Journal.Options()
    /// `flush.keep-minutes` (int, 60, minutes): the age up to which flushes are kept in case PostgreSQL loses them, and
    /// the size, a quarter of `journal.cap-bytes`.
    package var kept = KeptFlushes.Options()
    /// `flush.seconds` (int, 1, seconds): the shortest pause between two flushes.
    package var flushInterval = Duration.seconds(1)
    /// The longest pause between two flushes of a daemon alone. A pause is 20 times as long as the flush before it.
    package var longestFlushInterval = Duration.seconds(60)
    package var scheduleInterval = Duration.seconds(30)
    /// The longest time for a request to arrive: slow phones take less.
    package var requestDeadline = Duration.seconds(30)
    /// `intake.idle-seconds` (int, 75, seconds): the longest silence of a connection.
    package var idleTimeout = Duration.seconds(75)

    /// The secret from which releases draw their noise. It is made at the start if there is none.
    package var releaseSecret: String { dataPath + "/installation.secret" }

    /// The attesters of devices that ask for credentials; none by default.
    package var credentials = CredentialSettings.none

    package var reports: ReportSettings

    /// `traces` (a collector's URL or a path, nowhere): the target of spans.
    package var traces = TraceOptions()

    package init(plans: [Plan], dataPath: String) {
        (self.plans, self.dataPath) = (plans, dataPath)
        reports = ReportSettings(dataPath: dataPath)
    }

    /// Checks that all addresses are free by listening at them for a moment. An error is better before a data directory
    /// or a PostgreSQL is made than after.
    func checkAddresses() throws(DaemonError) {
        var listeners: [Int32] = []
        var files: [SocketFile] = []
        // All are held together, so that two of them can't be the same.
        defer {
            listeners.forEach { close($0) }
            files.forEach { $0.remove() }
        }
        for (endpoint, purpose, option) in endpoints {
            listeners.append(try endpoint.listener(purpose: purpose, option: option))
            if let file = endpoint.file { files.append(file) }
        }
    }

    private var endpoints: [(Endpoint, purpose: String, option: String)] {
        let all: [(Endpoint?, String, String)] = [
            (listen, "where clients post", "--listen"), (metrics, "where Prometheus reads", "--metrics"),
            (members, "where other daemons hand on", "--members"),
            (portal, "where partners, analysts and operators look", "--portal"),
        ]
        return all.compactMap { endpoint, purpose, option in endpoint.map { ($0, purpose, option) } }
    }

    /// The URL by which other daemons reach this one; nil if they can't.
    var memberAddress: String? { members.map { advertised ?? "\(tls == nil ? "http" : "https")://\($0)" } }

    func removeSockets() { for (endpoint, _, _) in endpoints { endpoint.file?.remove() } }

    /// An address to listen at: a host and a port, or the file of a Unix socket.
    package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
        private enum Place: Hashable {
            case network(host: String, port: Int)
            case socket(path: String)
        }

        private let place: Place

        /// Creates an address of a host, by name or address, and a port; port 0 takes any free one.
        package init(host: String, port: Int) { self.init(.network(host: host, port: port)) }

        private init(_ place: Place) { self.place = place }

        /// Reads "127.0.0.1:8080", "[::1]:8080", ":8080" or "unix:/run/throng/clients"; nil for anything else, and for
        /// a path that is relative or has more than 107 bytes.
        package init?(_ text: String) {
            if text.hasPrefix("unix:") {
                let path = String(text.dropFirst(5))
                guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= SocketFile.longestPath else {
                    return nil
                }
                self.init(.socket(path: path))
                return
            }
            guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
                (0...65_535).contains(port)
            else { return nil }
            var host = String(text[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            guard !host.contains("[") else { return nil }
            self.init(host: host.isEmpty ? "0.0.0.0" : host, port: port)
        }

        /// The host; nil for a Unix socket.
        package var host: String? { if case .network(let host, _) = place { host } else { nil } }

        package var isLoopback: Bool {
            guard case .network(let host, _) = place else { return true }
            let isNumber = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
            return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumber
        }

        /// "127.0.0.1:8080" or "unix:/run/throng/clients".
        package var description: String {
            switch place {
            case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): "unix:\(path)"
            }
        }

        /// The file of the socket; nil for a host and a port.
        var file: SocketFile? {
            guard case .socket(let path) = place else { return nil }
            return SocketFile(path: path)
        }

        var address: BindAddress {
            switch place {
            case .network(let host, let port): .hostname(host, port: port)
            case .socket(let path): .unixDomainSocket(path: path)
            }
        }

        /// Returns the address as facts for the log; `bound` is the port that a server got.
        func facts(bound: Int?) -> Logger.Metadata {
            switch place {
            case .network(let host, let port): ["host": "\(host)", "port": "\(bound ?? port)"]
            case .socket(let path): ["socket": "\(path)"]
            }
        }

        /// Returns the address as people of this machine open it.
        func url(bound: Int?, isSecure: Bool) -> String {
            guard case .network(let host, let port) = place else { return description }
            let name = ["0.0.0.0", "::"].contains(host) ? "localhost" : host
            return "\(isSecure ? "https" : "http")://\(Self(host: name, port: bound ?? port))"
        }

        /// Returns a socket that listens here; a failure names the use of the address, and the option for another one.
        package func listener(purpose: String, option: String) throws(DaemonError) -> Int32 {
            func refused(_ reason: String) -> DaemonError {
                .unusableAddress(address: description, purpose: purpose, option: option, reason: reason)
            }
            switch place {
            case .network(let host, let port): return try Self.listener(host: host, port: port, refused)
            case .socket(let path): return try SocketFile(path: path).listener(refused)
            }
        }

        private static func listener(
            host: String, port: Int, _ refused: (String) -> DaemonError
        ) throws(DaemonError) -> Int32 {
            var hints = addrinfo()
            hints.ai_flags = AI_PASSIVE
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            let failure = getaddrinfo(host, String(port), &hints, &found)
            guard failure == 0, let first = found?.pointee else {
                throw refused(String(cString: gai_strerror(failure)))
            }
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
}
