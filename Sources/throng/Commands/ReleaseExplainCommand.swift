import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ReleaseExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why a number was withheld: fewer than k devices, near k, or not asked for.",
        usage: "throng release explain <metric> <period> <cell> --plan <file> [<options>]",
        discussion: """
            For operators: it tells small cells from empty ones, which no reader of a release can. The reasons go \
            with the raw counters, a week after the release.

            EXAMPLES
              throng release explain visits 2026-11-20 channel=Email,hour=03 --plan plan.yaml
              throng release explain visits 2026-11-20 total --plan plan.yaml
            """)

    @Argument(help: "A metric of the plan.")
    var metric: String

    @Argument(help: "A period that was released: 2026-11-20, 2026-W47, 2026-11, 2026-11-20T10:00.")
    var period: String

    @Argument(help: "The cell: dimension=bucket, separated by commas; or total.")
    var cell: String

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place

    @Flag(help: "Prints the explanation as JSON.")
    var json = false

    func run() async throws {
        let buckets = try Self.buckets(cell)
        guard let plan = try plans.read().first(where: { $0.metric(MetricName(metric)) != nil }) ?? plans.read().first
        else { throw CommandFailure("There is no plan. Name one with --plan.") }
        let found = try PeriodOption.period(period, of: plan)
        try await DatabaseAccess.releases(place) { store in
            let explainer = ReleaseExplainer(store: store)
            let explanation = try await explainer.explain(MetricName(metric), found, buckets, of: plan)
            if json { return try Terminal.json(explanation) }
            Self.show(explanation)
        }
    }

    private static func show(_ explanation: Explanation) {
        Terminal.data("\(explanation.metric) \(explanation.period), \(explanation.cell): \(explanation.state.rawValue)")
        Terminal.data(explanation.sentence)
    }

    private static func buckets(_ cell: String) throws -> [DimensionName: BucketLabel] {
        if cell == "total" { return [:] }
        var buckets: [DimensionName: BucketLabel] = [:]
        for part in cell.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map {
                String($0).trimmingCharacters(in: .whitespaces)
            }
            guard sides.count == 2 else {
                throw ValidationError("'\(part)' is no dimension=bucket. Write os=iOS,channel=Email, or total.")
            }
            buckets[DimensionName(sides[0])] = BucketLabel(sides[1])
        }
        return buckets
    }
}
