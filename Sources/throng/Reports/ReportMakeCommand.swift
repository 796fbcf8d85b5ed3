import ArgumentParser
import Foundation
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ReportMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Makes reports and delivers them (the default).",
        usage: "throng report make --plan <file> [<options>]",
        discussion: """
            Without --period it takes each report's last complete period. A report is made once a period: where it was made \
            already, what was kept is delivered where it has not arrived yet, and into folders again. With --out the files \
            are made anew and go into that folder alone, and nothing goes on record.

            Relative paths are under the data directory. Paths and addresses of the files go to standard output.

            EXAMPLE
              throng report make --plan plan.yaml --data ./data --period 2026-11-20 --out ./look
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption

    @Option(help: ArgumentHelp("Only this partner's reports.", valueName: "name"))
    var partner: String?

    @Option(help: ArgumentHelp("A folder for the files, instead of the plan's deliveries.", valueName: "dir"))
    var out: String?

    @Flag(help: "Prints the paths as JSON.")
    var json = false

    func run() async throws {
        // A report of made-up numbers says so, whoever makes it.
        let isMadeUp = MadeUpMark.isThere(in: place.dataPath)
        let plans = try plans.read().map { isMadeUp ? $0.forMadeUpCrowd() : $0 }
        let settings = try Settings.ofMachine()
        try DaemonSettings.check(settings)
        var reports = ReportSettings(dataPath: place.dataPath)
        try ReportVariables.apply(to: &reports, plans: out == nil ? plans : [], settings: settings)
        let paths = try await DatabaseAccess.releases(place) { [reports] store in
            try await PlanFiles.sayWhatIsNotInForce(plans, store.connection)
            let scheduler = ReportScheduler(
                store: store, rules: .system, folder: place.dataPath,
                signing: reports.signing, delivery: reports.delivery, printer: reports.printer)
            var paths: [String] = []
            for plan in plans { paths += try await deliver(plan, scheduler) }
            return paths
        }
        if json { return try Terminal.json(paths) }
        for path in paths { Terminal.data(path) }
    }

    private func deliver(_ plan: Plan, _ scheduler: ReportScheduler) async throws -> [String] {
        let reports = plan.reports.filter { partner == nil || $0.partner.text == partner }
        if reports.isEmpty, let partner {
            let known = plan.partners.map(\.name.text).joined(separator: ", ")
            throw CommandFailure("No report of \(plan.app.name) goes to '\(partner)'; its partners are \(known).")
        }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let now = UnixClock.system.now
        var paths: [String] = []
        for report in reports {
            let current = calendar.period(report.period, containing: now)
            let chosen = try period.period(of: plan) ?? calendar.period(report.period, containing: current.start - 1)
            guard chosen.kind == report.period else {
                Terminal.talk(
                    "\(report.name) covers a \(report.period.rawValue); \(calendar.label(of: chosen)) is a "
                        + "\(chosen.kind.rawValue). Left out.")
                continue
            }
            func lacking(_ error: PrintError) { Terminal.talk("\(report.name): \(error)") }
            if let out {
                paths += try await scheduler.write(
                    report, plan: plan, period: chosen, now: now, to: out, lacking: lacking)
            } else {
                paths += try await scheduler.deliver(report, plan: plan, period: chosen, now: now, lacking: lacking)
            }
        }
        return paths
    }
}
