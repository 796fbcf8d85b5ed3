import Foundation
import Testing

@testable import ThrongPlan

@Suite("Promise 7: the record of processing says what the plan says, and what it does not")
struct PlanRecordTests {
    /// Set to 1 to write the golden files anew; look at the difference before it is kept.
    private static let regenerates = ProcessInfo.processInfo.environment["THRONG_REGENERATE_GOLDEN"] == "1"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private func compare(_ text: String, with name: String) throws {
        let golden = Self.folder.appending(path: name)
        let contents = Data((text + "\n").utf8)
        if Self.regenerates { try contents.write(to: golden) }
        #expect(
            contents == (try Data(contentsOf: golden)),
            "differs from \(name); set THRONG_REGENERATE_GOLDEN=1 to renew it")
    }

    @Test("the shop's record is what the golden files say, to the byte")
    func golden() throws {
        let record = ProcessingRecord(of: try SamplePlan.shop())
        try compare(record.markdown, with: "shop.md")
        try compare(String(decoding: try record.json(), as: UTF8.self), with: "shop.json")
    }

    @Test("the same plan makes the same bytes, whatever day it is")
    func deterministic() throws {
        let text = try String(
            contentsOf: SamplePlan.repository.appending(path: "Deploy/sample/shop.yaml"), encoding: .utf8)
        let later = CalendarDate(daysSince1970: SamplePlan.today.daysSince1970 + 300)
        let records = try [SamplePlan.today, later].map {
            ProcessingRecord(of: try Plan(yaml: text, file: "other.yaml", today: $0))
        }
        #expect(records[0].markdown == records[1].markdown)
        #expect(try records[0].json() == records[1].json())
        let drafts = try [SamplePlan.today, later].map {
            ImpactAssessment(of: try Plan(yaml: text, file: "other.yaml", today: $0)).markdown
        }
        #expect(drafts[0] == drafts[1])
    }

    @Test("all that a plan names is in the record, in both shapes", arguments: 0..<60)
    func complete(seed: UInt64) throws {
        var scribbled = ScribbledPlan(seed: seed)
        let plan = scribbled.plan()
        let record = ProcessingRecord(of: plan)
        let page = record.markdown
        let json = try #require(JSONSerialization.jsonObject(with: try record.json()) as? [String: Any])
        let strings = Set(Self.strings(of: json))
        var said = [plan.app.title, plan.app.owner, plan.app.contact, plan.app.name.text]
        for purpose in plan.purposes { said += [purpose.name.text, purpose.explanation] }
        for metric in plan.metrics {
            said += [metric.name.text, metric.title, metric.question, metric.decision, metric.owner]
            said += metric.events.map(\.text) + metric.dimensions.compactMap { plan.dimension($0)?.title }
            said += metric.sums.map(\.name)
        }
        for partner in plan.partners { said += [partner.name.text, partner.title, partner.contact] }
        for report in plan.reports { said += [report.name.text, report.title] + report.deliveries.map(\.target) }
        for insight in plan.reports.flatMap(\.insights).compactMap({ plan.insight($0) }) {
            said += [insight.name.text, insight.title, insight.metric.text]
        }
        for text in said {
            let escaped: MarkdownText = "\(text)"
            #expect(page.contains(escaped.source), "Markdown lacks \(text)")
            #expect(strings.contains(text), "JSON lacks \(text)")
        }
    }

    @Test("the assessment of the shop, and of an app that children may use, is what the golden files say")
    func assessments() throws {
        try compare(ImpactAssessment(of: try SamplePlan.shop()).markdown, with: "shop.dpia.md")
        try compare(ImpactAssessment(of: try LabelledPlan.mixed.plan()).markdown, with: "mixed.dpia.md")
    }

    @Test("every step of age is there with what it leaves; the last leaves nothing", arguments: 0..<60)
    func steps(seed: UInt64) {
        var scribbled = ScribbledPlan(seed: seed)
        let plan = scribbled.plan()
        let record = ProcessingRecord(of: plan)
        #expect(record.erasure.map(\.metric) == plan.metrics.map(\.name))
        for (metric, erasure) in zip(plan.metrics, record.erasure) {
            let ages = plan.expirySteps(of: metric).map(\.after.components.seconds).sorted()
            #expect(erasure.steps.map(\.afterSeconds) == ages)
            #expect(erasure.steps.last?.left.text == "nothing")
            #expect(Set(erasure.released.groupings) == Set(plan.groupingNames(of: metric)))
            var before = erasure.released
            for step in erasure.steps {
                #expect(Set(step.left.groupings).isSubset(of: before.groupings))
                #expect(Set(step.left.periods).isSubset(of: before.periods))
                before = step.left
            }
            for step in metric.decay where step.action == .keepTotals {
                let left = erasure.steps.filter { $0.afterSeconds >= step.after.components.seconds }
                #expect(left.allSatisfy { $0.left.groupings.allSatisfy(\.isEmpty) })
            }
        }
    }

    @Test("a text of the plan is text: it adds no heading, list, row, link or element", arguments: 0..<60)
    func escaped(seed: UInt64) {
        func skeleton(_ scraps: [String]) -> [String] {
            var scribbled = ScribbledPlan(seed: seed, scraps: scraps)
            let plan = scribbled.plan()
            let pages = [ProcessingRecord(of: plan).markdown, ImpactAssessment(of: plan).markdown]
            return pages.flatMap { $0.components(separatedBy: "\n").map(Self.markup) }
        }
        #expect(skeleton(ScribbledPlan.hostile) == skeleton(ScribbledPlan.hostile.map { _ in "plain" }))
    }

    @Test("a line break in a text forges no heading, also where no reader has looked at the plan")
    func forged() {
        for text in ["a\n# Forged", "a\r\n## Forged", "a\u{2028}# Forged", "a\u{85}# Forged", "\n\n# Forged"] {
            var scribbled = ScribbledPlan(seed: 1, scraps: [text])
            let lines = ProcessingRecord(of: scribbled.plan()).markdown.split { $0.isNewline }
            #expect(!lines.contains { $0.hasPrefix("#") && $0.contains("Forged") && !$0.contains("\\#") })
            #expect(!lines.contains { $0.drop { $0 == "#" }.hasPrefix(" Forged") })
        }
    }

    @Test("what a plan can't say is asked for: of every purpose its basis, of every part something")
    func open() throws {
        let record = ProcessingRecord(of: try SamplePlan.shop())
        #expect(Set(record.open.map(\.part)) == Set(ProcessingRecord.OpenPoint.Part.allCases))
        for purpose in record.purposes {
            #expect(record.open.contains { $0.part == .purposes && $0.text.contains("'\(purpose.name)'") })
        }
        #expect(record.purposes.map(\.basis) == [.undecided, .consent, .consent])
    }

    @Test("a measure is said where the plan has something that it applies to")
    func measures() throws {
        let shop = ProcessingRecord(of: try SamplePlan.shop()).measures.map(\.kind)
        #expect(!shop.contains(.revealed) && !shop.contains(.devices))
        #expect(shop.contains(.staff) && shop.contains(.signals) && shop.contains(.threshold) && shop.contains(.margin))
        let small = ProcessingRecord(of: try SamplePlan.small("An App", "App")).measures.map(\.kind)
        #expect(!small.contains(.signals))
    }

    @Test("where children are counted the record says for what, whose consent it takes, and what is left to decide")
    func children() throws {
        let plan = try Plan(yaml: PlanChildrenTests.base, file: "play.yaml", today: SamplePlan.today)
        let record = ProcessingRecord(of: plan)
        #expect(record.people.directedTo == .children)
        #expect(record.purposes.map(\.basis) == [.consentOfParent] && record.purposes.map(\.use) == [.product])
        let measure = try #require(record.measures.first { $0.kind == .children })
        #expect(measure.text.hasPrefix("Children are counted for product."))
        #expect(record.open.contains { $0.part == .people && $0.text.contains("parent's authority") })
        #expect(!ProcessingRecord(of: try SamplePlan.shop()).measures.map(\.kind).contains(.children))
    }

    /// The signs of a line that are markup, in order, after what its beginning makes of it.
    private static func markup(of line: String) -> String {
        let opening = line.unicodeScalars.prefix { " #-|+>=".unicodeScalars.contains($0) }
        var signs = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if !isEscaped, "`*_[]<>#|~&${}".unicodeScalars.contains(scalar) { signs.append(scalar) }
            isEscaped = !isEscaped && scalar == "\\"
        }
        return String(opening) + " … " + String(signs)
    }

    private static func strings(of value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let mapping as [String: Any]: mapping.values.flatMap(strings)
        default: []
        }
    }
}
