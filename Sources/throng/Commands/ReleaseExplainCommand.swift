import ArgumentParser
import Foundation
import ThrongInsight
import ThrongPlan
import ThrongSchedule
import ThrongStore

struct ReleaseExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says why numbers were withheld, what that cost, and what would help.",
        discussion: """
            For operators: it tells small cells from empty ones, which no reader of a release can. The reasons go \
            with the raw counters, a week after the release; what groupings show is known for as long as the release.

            Without a cell it is about the release as a whole: what each grouping shows, for which buckets most is \
            withheld, and the three changes of the plan that would help the most.

            throng release explain visits 2026-11-20
            throng release explain visits 2026-11-20 channel=Email,hour=03
            throng release explain visits 2026-11-20 total
            """)

    @Argument(help: "A metric of the plan.")
    var metric: String

    @Argument(help: "A period that was released: 2026-11-20, 2026-W47, 2026-11, 2026-11-20T10:00.")
    var period: String

    @Argument(help: "The cell: dimension=bucket, separated by commas; or total. Without one: the release as a whole.")
    var cell: String?

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place

    @Flag(help: "Prints the explanation as JSON.")
    var json = false

    func run() async throws {
        let buckets = try cell.map(Self.buckets)
        guard let plan = try plans.read().first(where: { $0.metric(MetricName(metric)) != nil }) ?? plans.read().first
        else { throw CommandFailure("There is no plan. Name one with --plan.") }
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone), let found = calendar.period(labelled: period)
        else {
            throw ValidationError(
                "'\(period)' is no period: write 2026-11-20 (a day), 2026-11 (a month), 2026-W47 (a week) or "
                    + "2026-11-20T10:00 (an hour).")
        }
        try await DatabaseAccess.use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            let explainer = ReleaseExplainer(store: store)
            guard let buckets else {
                let review = try await explainer.review(MetricName(metric), found, of: plan)
                if json { return try Terminal.json(review) }
                return Self.show(review)
            }
            let explanation = try await explainer.explain(MetricName(metric), found, buckets, of: plan)
            if json { return try Terminal.json(explanation) }
            Self.show(explanation)
        }
    }

    private static func show(_ explanation: Explanation) {
        Terminal.data("\(explanation.metric) \(explanation.period), \(explanation.cell): \(explanation.state.rawValue)")
        Terminal.data(explanation.sentence)
        if let equation = explanation.equation {
            Terminal.data("\n  \(equation.whole.cell): \(words(equation.whole.count)) =")
            Terminal.data(Terminal.table(equation.parts.map { ("  " + $0.cell, words($0.count)) }))
        }
        if !explanation.others.isEmpty {
            let others = explanation.others.prefix(mostNamed).map(\.self)
            let rest = explanation.others.count - others.count
            let more = rest > 0 ? " and \(Terminal.grouped(rest)) more" : ""
            let role = explanation.state == .sensitive ? "Withheld for its sake" : "It protects"
            Terminal.data("\n\(role): \(others.joined(separator: "; "))\(more)")
        }
        if !explanation.weights.isEmpty {
            Terminal.data("\nWhat could have been withheld instead, the cheapest first:")
            Terminal.data(Terminal.table(explanation.weights.map { ($0.cell, words($0)) }))
        }
        show(explanation.cures)
    }

    private static func show(_ review: ReleaseReview) {
        Terminal.data("\(review.metric) \(review.period)\n")
        Terminal.data("Of all events, and of those in numbers of k devices, is shown:")
        Terminal.data(
            Terminal.table(
                review.groupings.map { grouping in
                    let name = grouping.dimensions.joined(separator: " \u{00d7} ")
                    let shares = [grouping.shown, grouping.publishableShown].map { share in
                        share.map(MetricReview.percent) ?? "unknown"
                    }
                    let hidden = grouping.hidden.map { ", \(Terminal.grouped($0)) withheld for others" } ?? ""
                    return (
                        name.isEmpty ? "total" : name,
                        "\(shares[0]), \(shares[1]); \(Terminal.count(grouping.published, "number"))\(hidden)"
                    )
                }))
        if !review.isKnown {
            Terminal.data("\nWhy numbers were withheld has gone with the counters, or nothing was withheld.")
        }
        if !review.buckets.isEmpty {
            Terminal.data("\nWithheld for the sake of a small bucket (an event counts once in each grouping):")
            Terminal.data(
                Terminal.table(
                    review.buckets.prefix(mostNamed).map { bucket in
                        (
                            "\(bucket.dimension) = \(bucket.bucket)",
                            "\(Terminal.grouped(Int(bucket.events))) events in \(Terminal.count(bucket.numbers, "number"))"
                        )
                    }))
        }
        show(review.cures)
    }

    private static func show(_ cures: [Cure]) {
        guard !cures.isEmpty else { return }
        Terminal.data("\nWhat would help:")
        for cure in cures {
            let most = cure.events.map { $0 > 0 ? " Up to \(Terminal.grouped(Int($0))) events more." : "" } ?? ""
            Terminal.data("- \(cure.sentence)\(most)")
        }
    }

    /// The most cells, or buckets, of a list.
    private static let mostNamed = 10

    /// "4,475 events, weight 3328: published, and the period before".
    private static func words(_ weight: CandidateWeight) -> String {
        let former = weight.wasPublished.map { $0 ? ", as before" : ", not before" } ?? ""
        return "\(Terminal.grouped(Int(weight.events))) events, weight \(weight.weight): "
            + "\(weight.isPublished ? "published" : "withheld")\(former)"
    }

    private static func words(_ count: Int64?) -> String { count.map { Terminal.grouped(Int($0)) } ?? Withheld.marker }

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
