import ArgumentParser
import Foundation
import ThrongPlan
import ThrongServer
import ThrongStore

struct ReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Releases periods that are over: numbers that stand for enough devices, once, for good.",
        discussion: """
            A period is due once it is over and the plan's grace has passed; `throng serve` releases by itself. What \
            was released never changes; events that come later count into the period that is open then.
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place
    @OptionGroup var period: PeriodOption

    @Flag(help: "Releases as soon as a period is over; what comes within the grace counts into a later one.")
    var ignoreGrace = false

    @Flag(help: "Prints what was released as JSON.")
    var json = false

    private struct Line: Encodable {
        let app: String
        let metric: String
        let period: String
        let published: Int
        let withheld: Int
    }

    func run() async throws {
        let plans = try plans.read()
        let lines = try await DatabaseAccess.use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            let desk = ReleaseDesk(store: store, rules: .system)
            var lines: [Line] = []
            for plan in plans {
                let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
                let made = try await desk.releaseDue(
                    of: plan, now: UnixClock.system.now, only: try period.period(of: plan), ignoringGrace: ignoreGrace)
                lines += made.map {
                    Line(
                        app: plan.app.name.text,
                        metric: $0.metric.text,
                        period: calendar.label(of: $0.period),
                        published: $0.published,
                        withheld: $0.withheld)
                }
            }
            return lines
        }
        if json { return try Terminal.json(lines) }
        if lines.isEmpty { return Terminal.talk("Nothing is due: no period that is over has unreleased counters.") }
        for line in lines {
            Terminal.data(
                "\(line.app) \(line.metric) \(line.period): \(Terminal.grouped(line.published)) numbers published, "
                    + "\(Terminal.grouped(line.withheld)) withheld")
        }
    }
}
