import Foundation
import Testing

@testable import ThrongPlan

@Suite("A dimension may be made of another's buckets, and is then a way to look at what is counted")
struct PlanHierarchyTests {
    private static let platform = """
          platform:
            title: Platform
            of: os
            groups:
              Desktop: [Windows, macOS, Linux]
              Mobile: [iOS, Android]
        """

    /// The small plan with the platform, some of its text replaced.
    private static func text(_ changes: [(String, String)] = []) -> String {
        changes.reduce(SamplePlan.small.replacing("dimensions:\n  os:", with: "dimensions:\n\(platform)\n  os:")) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    private static func plan(_ changes: (String, String)...) throws -> Plan {
        try Plan(yaml: text(changes), file: "small.yaml", today: SamplePlan.today)
    }

    private static func problems(_ changes: (String, String)...) -> [String] {
        do {
            _ = try Plan(yaml: text(changes), file: "small.yaml", today: SamplePlan.today)
            return []
        } catch {
            return error.all.map(\.message)
        }
    }

    @Test("it may stand before its base, takes over its partition, and has the base's buckets in its groups")
    func reading() throws {
        let plan = try Self.plan(("An App", "An App"))
        let platform = try #require(plan.derivedDimension("platform"))
        #expect(plan.dimensions.map(\.name) == ["os", "age"])
        #expect(platform.base == "os")
        #expect(platform.partitionsDevices)
        #expect(platform.labels == ["Desktop", "Mobile", "other"])
        let os = try #require(plan.dimension("os")).rule.labels()
        #expect(os == ["Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS", "other"])
        #expect(platform.buckets(of: os) == [0, 0, 1, 1, 0, 2, 2])
    }

    @Test("a plan that declares one without using it has the layouts that it had without it")
    func unusedChangesNothing() throws {
        let without = try SamplePlan.small("An App", "An App")
        let with = try Self.plan(("An App", "An App"))
        let layouts = try [without, with].map { try $0.layout(of: $0.metrics[0], rules: .system) }
        #expect(layouts[0] == layouts[1])
        #expect(layouts[0].id == layouts[1].id)
    }

    @Test("a margin or an insight that uses it adds it behind the base dimensions, whose places stay")
    func layout() throws {
        let plan = try Self.plan(("by: [os]", "by: [age]\n    where: {platform: Mobile}"))
        let metric = plan.metrics[0]
        let layout = try plan.layout(of: metric, rules: .system)
        #expect(layout.dimensions.map(\.name) == ["os", "age", "platform"])
        #expect(layout.dimensions[2].coarsening == .init(place: 0, buckets: [0, 0, 1, 1, 0, 2, 2]))
        #expect(layout.leaf == Margin(keeping: [0, 1]))
        #expect(layout.partition == Margin(keeping: [0]))
        #expect(plan.groupings(of: metric).contains(Margin(keeping: [1, 2])))
        #expect(layout.trackedMargins == [layout.leaf, layout.partition], "the base's counts do for both")
        let declared = try Self.plan(("reach: true", "reach: true\n    margins: [[platform, age], [os]]"))
        #expect(
            declared.groupings(of: declared.metrics[0])
                == [.total, Margin(keeping: [0]), Margin(keeping: [1, 2])].sorted())
    }

    @Test("one of a dimension that does not partition devices has distinct counts of its own")
    func tracked() throws {
        let plan = try Self.plan(
            ("  platform:", "  young: {title: Young, of: age, groups: {yes: [<10, 10-20]}}\n  platform:"),
            ("by: [os]", "by: [young]"))
        let layout = try plan.layout(of: plan.metrics[0], rules: .system)
        #expect(layout.dimensions.map(\.name) == ["os", "age", "young"])
        #expect(layout.trackedMargins == [layout.leaf, Margin(keeping: [0]), Margin(keeping: [0, 2])])
    }

    @Test("it may be decayed, and be the part of a share")
    func decayAndPart() throws {
        let plan = try Self.plan(
            ("reach: true", "reach: true\n    decay: [{after: 30 days, drop: platform}]"),
            ("kind: count\n    by: [os]", "kind: share\n    basis: devices\n    part: {platform: Mobile}"))
        #expect(plan.metrics[0].decay.map(\.action) == [.drop("platform")])
        #expect(
            plan.insights[0].kind
                == .share(of: .devices, part: .init(dimension: "platform", bucket: "Mobile")))
    }

    @Test("where it can't stand, the message says what can")
    func refusals() {
        #expect(
            Self.problems(("dimensions: [os, age]", "dimensions: [platform, age]")) == [
                """
                metric 'views': 'dimensions': 'platform' is made of another dimension; list 'os' here, and use \
                'platform' in margins and insights
                """
            ])
        #expect(
            Self.problems(("reach: true", "reach: true\n    margins: [[age, platform, os]]")) == [
                "metric 'views': 'margins': 'platform' is made of 'os', which is here, too; leave one of them out"
            ])
        #expect(
            Self.problems(("by: [os]", "by: [os]\n    where: {platform: Mobile}")) == [
                """
                insight 'by_system': 'platform' is made of 'os', which is here, too; leave one of them out
                """
            ])
        #expect(
            Self.problems(("by: [os]", "where: {platform: mobile}")) == [
                """
                insight 'by_system': 'where': 'platform' has no bucket 'mobile'; did you mean 'Mobile'? known: \
                Desktop, Mobile, other
                """
            ])
        #expect(
            Self.problems(
                ("dimensions: [os, age]", "dimensions: [age]"), ("by: [os]", "by: [platform]")) == [
                    """
                    insight 'by_system': 'by': unknown dimension of its metric 'platform'; known: age
                    """
                ])
        #expect(
            Self.problems(("reach: true", "reach: true\n    impossible: [{platform: Mobile}]")) == [
                """
                metric 'views': 'impossible': 'platform' is made of another dimension; name buckets of 'os'
                """
            ])
        #expect(
            Self.problems(("spent: {", "platform: {")) == [
                """
                metric 'views': 'measures': 'platform' is a dimension or measure of this metric already; rename it
                """
            ])
    }

    @Test("a base that can't be read is one problem, whatever is made of it")
    func brokenBase() {
        #expect(
            Self.problems(("operating_system: standard", "operating_system: normal"), ("by: [os]", "by: [platform]"))
                .count == 1)
    }

    @Test("more groupings than the journal can tell apart are refused")
    func tooManyGroupings() {
        let names = (0..<15).map { "g\($0)" }
        let groups = names.map { "  \($0): {title: G, of: age, groups: {a: [<10]}}\n" }.joined()
        let few = names.prefix(8).map { "[\($0)]" }.joined(separator: ", ")
        let many = names.prefix(9).map { "[\($0)]" }.joined(separator: ", ")
        func problems(_ margins: String) -> [String] {
            Self.problems(
                ("metrics:\n", "\(groups)metrics:\n"), ("reach: true", "reach: true\n    margins: [\(margins)]"))
        }
        #expect(problems(few).isEmpty)
        #expect(
            problems(many) == [
                "metric 'views' uses 9 dimensions that are made of others; 8 are allowed: split it into two metrics"
            ])
        let every = (1..<256).map { bits in
            "[" + (0..<8).filter { bits & (1 << $0) != 0 }.map { names[$0] }.joined(separator: ", ") + "]"
        }
        #expect(
            problems(every.joined(separator: ", ")) == [
                "metric 'views' shows 257 groupings; 200 are allowed: split it into two metrics"
            ])
    }

    @Test("the label names its buckets with what they hold, and advice says where it is not used")
    func publication() throws {
        let unused = try Self.plan(("An App", "An App"))
        #expect(
            unused.lint(today: SamplePlan.today).map(\.message) == [
                "dimension 'platform' is not used; delete it or use it in a metric's margins or an insight"
            ])
        #expect(!unused.privacyLabel(today: SamplePlan.today).contains("Platform"))
        let used = try Self.plan(("by: [os]", "by: [platform]"))
        #expect(used.lint(today: SamplePlan.today).isEmpty)
        let label = used.privacyLabel(today: SamplePlan.today)
        #expect(label.contains("- Split by: System, Age, Platform."))
        #expect(
            label.contains(
                "- Platform, made of System: Desktop (Windows, macOS, Linux), Mobile (iOS, Android), other"))
        let text = String(decoding: try used.publicDocument(), as: UTF8.self)
        #expect(text.contains(#""of":"os""#))
    }
}
