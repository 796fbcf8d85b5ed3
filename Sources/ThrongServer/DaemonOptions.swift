internal import Foundation
package import ThrongCounting
package import ThrongCredentials
package import ThrongDelivery
package import ThrongIntake
package import ThrongJournal
package import ThrongPlan
internal import ThrongReport
package import ThrongTraces

/// How a daemon is run.
package struct DaemonOptions: Sendable {
    /// What may be counted: one plan an app.
    package var plans: [Plan]
    /// The files that the plans were read from, in the same order; none where they come from elsewhere.
    package var sources: [PlanSource] = []
    /// Reads these files, and the settings, again; nil where SIGHUP reads nothing.
    package var reread: (@Sendable () throws -> PlanReading)?
    /// Where the daemon keeps what must survive it.
    package var dataPath: String
    /// `database` (string, none, connection string): nil runs a private PostgreSQL in the data directory.
    package var database: String?
    /// `listen` (host:port or unix:path, 127.0.0.1:8080): where clients post.
    package var listen: Endpoint
    /// `metrics.listen` (host:port or unix:path, 127.0.0.1:9464): where Prometheus reads, without TLS.
    package var metrics: Endpoint
    /// `metrics.hosts` (names, none): by which Prometheus asks there, beside addresses and this machine's own name.
    package var metricsHosts: [String] = []
    /// `portal` (host:port or unix:path, none): where partners, analysts and operators look; nil serves no such pages.
    package var portal: Endpoint?
    /// `members` (host:port, none): where other daemons hand on what is this one's; nil takes nothing from others.
    package var members: Endpoint?
    /// `advertise` (URL, http or https with the address of `members`): where other daemons reach it.
    package var advertised: String?
    /// `members.authorities` (path, the system's): certificates that vouch for other daemons.
    package var memberAuthorities: String?
    /// By what clients and people are spoken to over TLS; nil speaks plain HTTP with them.
    package var tls: TLSFiles?
    /// `intake.proxies` (addresses and networks, none): whose connections where clients post begin with a header of the PROXY
    /// protocol, version 2.
    package var proxies: Proxies
    /// `intake.forwarders` (addresses and networks, none): whose `X-Forwarded-For` or `Forwarded` says where the clients of their
    /// requests are.
    package var forwarders: Proxies
    /// `intake.network-identifiers` (int, 10000, identifiers), `intake.network-events` (int, 1000000, events) and
    /// `intake.networks-bytes` (int, 67108864, bytes): what one network may bring at once and in an hour, and what
    /// it takes to know.
    package var quotas: NetworkTallies.Limits
    /// How large a request may be.
    package var limits: IntakeLimits
    /// `intake.origins` (text, *): the origins whose web pages may send and read.
    package var origins: CrossOrigin
    /// `intake.bodies-bytes` (int, 268435456, bytes): what the bodies of requests may take while they arrive.
    package var bodiesBytes: Int
    /// `stop.drain-seconds` (int, 0, seconds): how long before a stop `/readyz` says so, so that a balancer sends nobody any more.
    package var drain = Duration.zero
    /// What runs: the program and its formats, each with its version; for the operator's page.
    package var versions: [(name: String, version: String)] = []
    /// Who waits to hear how the process is; nil where nobody does.
    package var serviceManager: ServiceManager?
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

    /// Who vouches for devices that ask for credentials; nobody where nothing is said.
    package var credentials = CredentialSettings.none

    /// How reports are signed, printed and sent.
    package var reports: ReportSettings

    /// `traces.endpoint`, `traces.file` and `traces.percent`: where spans go, and of how much there are any.
    package var traces = TraceOptions()

    /// The documented defaults.
    package init(plans: [Plan], dataPath: String) {
        self.plans = plans
        self.dataPath = dataPath
        database = nil
        listen = Endpoint(host: "127.0.0.1", port: 8080)
        metrics = Endpoint(host: "127.0.0.1", port: 9464)
        proxies = .none
        forwarders = .none
        quotas = NetworkTallies.Limits()
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
        var files: [SocketFile] = []
        // Together, so that two of them can't be the same.
        defer {
            listeners.forEach { close($0) }
            files.forEach { $0.remove() }
        }
        func check(_ endpoint: Endpoint, purpose: String, option: String) throws(DaemonError) {
            listeners.append(try endpoint.listener(purpose: purpose, option: option))
            if let file = endpoint.file { files.append(file) }
        }
        try check(listen, purpose: "where clients post", option: "--listen")
        try check(metrics, purpose: "where Prometheus reads", option: "--metrics")
        if let members { try check(members, purpose: "where other daemons hand on", option: "--members") }
        guard let portal else { return }
        try check(portal, purpose: "where partners, analysts and operators look", option: "--portal")
    }

    /// Where other daemons reach this one: a URL; nil where they can't.
    var memberAddress: String? {
        members.map { advertised ?? "\(tls == nil ? "http" : "https")://\($0)" }
    }

    /// Takes the files of Unix sockets away, once nothing listens there any more.
    func removeSockets() {
        for endpoint in [listen, metrics] + [portal, members].compactMap(\.self) { endpoint.file?.remove() }
    }
}
