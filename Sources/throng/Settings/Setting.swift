import ArgumentParser
import Logging

/// Something of `throng serve` that can be set: by an option where it has one, by a variable of the environment, in a
/// file.
struct Setting: Sendable {
    enum Kind: Sendable {
        case number(unit: String, lowest: Int, highest: Int)
        /// A text without line breaks.
        case text
        case path
        /// Paths; in the environment with a colon between them.
        case paths
        /// Words; in a file a list, too.
        case words
        case choice([String])
        /// A connection string, which may hold a password.
        case connection
    }

    /// Its name in a file, dots for the levels: `intake.idle-seconds`.
    let key: String
    /// The option of the command line; nil where there is none.
    var option: String?
    let kind: Kind
    /// The default, in words for people.
    let standard: String
    let meaning: String
    /// True if SIGHUP reads it anew.
    var isReloaded = false

    /// `THRONG_INTAKE_IDLE_SECONDS` for `intake.idle-seconds`.
    var variable: String { "THRONG_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_") }

    /// Nil where it is no number.
    var unit: String? { if case .number(let unit, _, _) = kind { unit } else { nil } }

    var heading: String {
        switch key.split(separator: ".").first.map({ String($0) }) {
        case "intake": "What clients may send"
        case "journal", "flush": "Journal and flush"
        case "attesters", "report", "deliver": "Releases, reports, deliveries"
        case "traces": "Traces"
        default: "The process"
        }
    }

    /// The help of its option.
    func help(_ value: String) -> ArgumentHelp {
        let sentence = meaning.prefix(1).uppercased() + meaning.dropFirst()
        return ArgumentHelp("\(sentence) (default: \(standard)).", valueName: value)
    }

    /// Every one, in the order in which people read them.
    static let all: [Setting] = [
        process, numbers("stop."), numbers("intake."), intake, numbers("journal."), numbers("flush."), releases,
        [traces],
    ].flatMap { $0 }

    private static func numbers(_ prefix: String) -> [Setting] {
        DaemonSettings.numbers.map(\.setting).filter { $0.key.hasPrefix(prefix) }
    }

    static func named(_ key: String) -> Setting? { byKey[key] }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    static let plan = Setting(
        key: "plan", option: "--plan", kind: .paths, standard: "none", meaning: "the plans, one an app",
        isReloaded: true)
    static let data = Setting(
        key: "data", option: "--data", kind: .path, standard: Place.standardData, meaning: "the data directory")
    static let database = Setting(
        key: "database", option: "--database", kind: .connection,
        standard: "a private PostgreSQL in the data directory", meaning: "a PostgreSQL to use, as a URL or keywords")
    static let listen = Setting(
        key: "listen", option: "--listen", kind: .text, standard: "127.0.0.1:8080",
        meaning: "where clients post: host:port, or unix:path")
    static let metrics = Setting(
        key: "metrics", option: "--metrics", kind: .text, standard: "127.0.0.1:9464", meaning: "where Prometheus reads")
    static let metricsHosts = Setting(
        key: "metrics-hosts", kind: .words, standard: "none",
        meaning: """
            names by which Prometheus asks there, such as "count.example.com", beside addresses, names without a dot and the \
            machine's own
            """)
    static let portal = Setting(
        key: "portal", option: "--portal", kind: .text, standard: "nowhere",
        meaning: "where partners, analysts and operators look")
    static let members = Setting(
        key: "members.listen", option: "--members", kind: .text, standard: "nowhere",
        meaning: "where other daemons hand on what is this one's")
    static let advertised = Setting(
        key: "members.advertise", option: "--advertise", kind: .text, standard: "the host and port of --members",
        meaning: "where they reach that: http or https, host and port")
    static let memberAuthorities = Setting(
        key: "members.authorities", kind: .path, standard: "the system's",
        meaning: "certificates in PEM that vouch for other daemons, where these speak TLS")
    static let certificate = Setting(
        key: "tls.certificate", option: "--tls-certificate", kind: .path, standard: "plain HTTP",
        meaning: """
            speaks TLS, by this certificate and those behind it, in PEM; "FILE includeSubDomains": https for names below, too
            """)
    static let key = Setting(
        key: "tls.key", option: "--tls-key", kind: .path, standard: "none",
        meaning: "the certificate's private key, in PEM")
    static let log = Setting(
        key: "log", option: "--log", kind: .choice(Logger.Level.allCases.map(\.rawValue)), standard: "info",
        meaning: "from which level on it logs: trace to critical")
    static let logFormat = Setting(
        key: "log-format", option: "--log-format", kind: .choice(LogOptions.Format.allCases.map(\.rawValue)),
        standard: "text", meaning: "text, for people, or json: an object a line, for programs")

    static let origins = Setting(
        key: "intake.origins", kind: .words, standard: "*",
        meaning: "origins whose web pages may send events, such as \"https://shop.example https://www.shop.example\"")
    static let proxies = Setting(
        key: "intake.proxies", kind: .words, standard: "none",
        meaning: """
            proxies whose connections begin with a header of the PROXY protocol, version 2: addresses, networks \
            and unix for those by the Unix socket, such as "10.0.0.0/8 2001:db8::7 unix"
            """)
    static let forwarders = Setting(
        key: "intake.forwarders", kind: .words, standard: "none",
        meaning: """
            proxies whose X-Forwarded-For or Forwarded says where the clients of their requests are, such as "127.0.0.1"; \
            nobody else's is looked at
            """)
    static let clientAuthorities = Setting(
        key: "intake.client-authorities", kind: .path, standard: "none",
        meaning: """
            certificates in PEM: only who has one of theirs may connect where clients post, such as your proxies
            """)

    static let attesters = Setting(
        key: "attesters", kind: .path, standard: "none",
        meaning: "a file that says, by app, who vouches for devices that ask for credentials")
    static let reportKey = Setting(
        key: "report.key", kind: .path, standard: "signing/key.pem in the data directory",
        meaning: "the key that signs reports' manifests")
    static let hosts = Setting(
        key: "deliver.hosts", kind: .words, standard: "none",
        meaning: """
            hosts that reports may be sent to, such as "partner.example partner.example:8443"; of mail, its domain
            """)
    static let mail = Setting(
        key: "deliver.mail", kind: .words, standard: "none",
        meaning: """
            the server that takes mails, and the address that they come from, such as \
            "smtps://throng@mail.shop.example reports@shop.example"
            """)
    static let privateHosts = Setting(
        key: "deliver.private-hosts", kind: .words, standard: "none",
        meaning: "those of them that may be at loopback, private and other special addresses")
    static let authorities = Setting(
        key: "deliver.ca", kind: .path, standard: "none",
        meaning: "certificates in PEM that vouch for partners, beside the system's")

    static let traces = Setting(
        key: "traces", kind: .text, standard: "nowhere",
        meaning: """
            where traces go: a collector on this machine, by OTLP/HTTP, such as "http://127.0.0.1:4318/v1/traces", or a \
            file, by its absolute path, in OTLP's JSON, a batch a line
            """)

    static let process = [
        plan, data, database, listen, metrics, metricsHosts, portal, members, advertised, memberAuthorities,
        certificate, key, log, logFormat,
    ]
    static let intake = [origins, proxies, forwarders, clientAuthorities]
    static let releases = [attesters, reportKey, hosts, privateHosts, authorities, mail]
}

/// The value of a setting, and who said so.
struct SettingValue: Sendable, Hashable {
    enum Origin: Sendable, Hashable {
        case option(String)
        case environment(String)
        case file(path: String, line: Int, key: String)
    }

    /// One, or those of a list.
    let texts: [String]
    let origin: Origin

    var text: String { texts.joined(separator: " ") }

    /// The path in a text such as `/etc/throng/tls/fullchain.pem includeSubDomains`.
    var file: String { isForSubdomains ? String(text.dropLast(Self.subdomains.count)) : text }

    /// True if browsers are to use https for names under the daemon's, too (RFC 6797, section 6.1.2).
    var isForSubdomains: Bool { text.lowercased().hasSuffix(Self.subdomains) }

    private static let subdomains = " includesubdomains"

    /// The place of the value, for messages: `--listen`, `THRONG_LISTEN`, `/etc/throng/throng.yaml:3: listen`.
    var place: String {
        switch origin {
        case .option(let name), .environment(let name): name
        case .file(let path, let line, let key): "\(path):\(line): \(key)"
        }
    }
}
