import ArgumentParser
import ThrongDelivery
import ThrongPlan

/// The variables of the environment that say how reports are signed, printed and sent.
enum ReportVariables {
    static let numbers: [EnvironmentSetting<ReportSettings>] = [
        .init(
            key: "deliver.seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "how long a file may take to be sent", apply: { $0.delivery.fileSeconds = Int64($1) }),
        .init(
            key: "deliver.retry-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "pause after a delivery's first try; each is twice the one before, up to an hour",
            apply: { $0.delivery.retrySeconds = Int64($1) }),
        .init(
            key: "deliver.tries", unit: "tries", lowest: 1, highest: 100, standard: 12,
            meaning: "when a delivery is given up", apply: { $0.delivery.tries = $1 }),
    ]

    /// Those that are no numbers, with what the manual says of them.
    static let texts: [(variable: String, meaning: String)] = [
        (reportKey, "(path, signing/key.pem in the data directory)\n      the key that signs reports' manifests"),
        (
            chromium, "(path, the first of chromium and its like on the PATH)\n      what prints reports as PDF"
        ),
        (
            hosts,
            """
            (text, none)
                  hosts that reports may be sent to, such as "partner.example partner.example:8443"
            """
        ),
        (
            privateHosts,
            "(text, none)\n      those of them that may be at loopback, private and other special addresses"
        ),
        (authorities, "(path, none)\n      certificates in PEM that vouch for partners, beside the system's"),
        (
            secrets,
            "(path, secrets in the data directory)\n      a folder with a file for each header Authorization of a plan"
        ),
    ]
    private static let reportKey = "THRONG_REPORT_KEY"
    private static let chromium = "THRONG_CHROMIUM"
    private static let hosts = "THRONG_DELIVER_HOSTS"
    private static let privateHosts = "THRONG_DELIVER_PRIVATE_HOSTS"
    private static let authorities = "THRONG_DELIVER_CA"
    private static let secrets = "THRONG_DELIVER_SECRETS"

    /// Their names.
    static var known: [String] { numbers.map(\.variable) + texts.map(\.variable) }

    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for no whole number, one out of range, or a plan's host that is not allowed.
    static func apply(to settings: inout ReportSettings, plans: [Plan], environment: [String: String]) throws {
        for setting in numbers { try setting.take(from: environment, to: &settings) }
        if let path = environment[reportKey] { settings.signing = ReportKeyFolder(keyPath: path) }
        settings.printer = PagePrinter(environment: environment)
        if let path = environment[authorities] { settings.delivery.authorities = path }
        if let path = environment[secrets] { settings.delivery.secrets = path }
        if let text = environment[hosts] { settings.delivery.hosts = names(text) }
        if let text = environment[privateHosts] { settings.delivery.privateHosts = names(text) }
        try check(plans, against: settings.delivery)
    }

    /// Host names without the port that needs no mention.
    private static func names(_ text: String) -> Set<String> {
        Set(
            text.lowercased().split(separator: " ").map {
                $0.hasSuffix(":443") ? String($0.dropLast(4)) : String($0)
            })
    }

    /// A plan alone makes nobody send anything anywhere: the operator allows each host.
    private static func check(_ plans: [Plan], against delivery: DeliveryOptions) throws {
        for plan in plans {
            for report in plan.reports {
                for case .http(let http) in report.deliveries where !delivery.hosts.contains(http.authority) {
                    throw ValidationError(
                        "Report \(report.name) of \(plan.app.name) goes to \(http.authority), which \(hosts) does not "
                            + "list. Add it there, separated by a space, if reports may be sent to it.")
                }
            }
        }
    }
}
