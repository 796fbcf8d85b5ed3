import ArgumentParser
import ThrongPlan
import ThrongSchedule

enum ReportVariables {
    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for no whole number, one out of range, or a plan's host that is not allowed.
    static func apply(to reports: inout ReportSettings, plans: [Plan], settings: Settings) throws {
        for setting in DaemonSettings.testReportNumbers { try setting.take(from: settings, to: &reports) }
        func text(_ setting: Setting) -> String? { settings.value(of: setting)?.text }
        if let path = text(.reportKey) { reports.signing = ReportKeyFolder(keyPath: path) }
        reports.printer = PagePrinter(environment: settings.environment)
        if let path = text(.authorities) { reports.delivery.authorities = path }
        if let text = text(.hosts) { reports.delivery.hosts = names(text) }
        if let text = text(.privateHosts) { reports.delivery.privateHosts = names(text) }
        try check(plans, against: reports.delivery)
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
                        """
                        Report \(report.name) of \(plan.app.name) goes to \(http.authority), which \
                        \(Setting.hosts.variable) does not list. Add it there, separated by a space, if reports may be \
                        sent to it.
                        """)
                }
            }
        }
    }
}
