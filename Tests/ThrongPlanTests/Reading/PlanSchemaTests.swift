import Foundation
import Testing

@testable import ThrongPlan

@Suite("The JSON Schema and the reader know the same plan")
struct PlanSchemaTests {
    /// One mapping of the schema.
    private struct Mapping {
        let node: [String: Any]
        var keys: [String] { ((node["properties"] as? [String: Any]) ?? [:]).keys.sorted() }
        var required: [String] { ((node["required"] as? [String]) ?? []).sorted() }
        var isClosed: Bool { node["additionalProperties"] as? Bool == false }
    }

    private struct Unreadable: Error {}

    private let root: [String: Any]
    private let definitions: [String: Any]

    init() throws {
        let file = SamplePlan.repository.appending(path: "Schema/plan.schema.json")
        let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
        guard let root = json as? [String: Any], let definitions = root["$defs"] as? [String: Any] else {
            throw Unreadable()
        }
        self.root = root
        self.definitions = definitions
    }

    private func mapping(_ name: String, _ path: String...) throws -> Mapping {
        var node = definitions[name]
        for key in path {
            if let alternatives = node as? [[String: Any]] {
                node = alternatives.first { $0["properties"] != nil }
            }
            node = (node as? [String: Any])?[key]
        }
        if let alternatives = node as? [[String: Any]] { node = alternatives.first { $0["properties"] != nil } }
        guard let found = node as? [String: Any] else { throw Unreadable() }
        return Mapping(node: found)
    }

    private func expectSame<Key: PlanKey>(
        _ mapping: Mapping, _: Key.Type, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(mapping.keys == Key.names.sorted(), sourceLocation: location)
        #expect(mapping.required == Key.required.map(\.rawValue).sorted(), sourceLocation: location)
        #expect(mapping.isClosed, sourceLocation: location)
    }

    @Test("every mapping has the same keys and the same required keys, and allows no others")
    func keys() throws {
        expectSame(Mapping(node: root), PlanKeys.Root.self)
        expectSame(try mapping("app"), PlanKeys.App.self)
        expectSame(try mapping("purpose"), PlanKeys.Purpose.self)
        expectSame(try mapping("app", "properties", "evaluator"), PlanKeys.Evaluator.self)
        expectSame(try mapping("dimension"), PlanKeys.Dimension.self)
        expectSame(
            try mapping("dimension", "properties", "significant_figures"), PlanKeys.SignificantFigures.self)
        expectSame(try mapping("dimension", "properties", "powers"), PlanKeys.Powers.self)
        expectSame(try mapping("dimension", "properties", "version"), PlanKeys.Version.self)
        expectSame(try mapping("dimension", "properties", "screen", "oneOf"), PlanKeys.Screen.self)
        expectSame(try mapping("dimension", "properties", "utc_offset"), PlanKeys.UTCOffset.self)
        expectSame(try mapping("metric"), PlanKeys.Metric.self)
        expectSame(try mapping("metric", "properties", "noun"), PlanKeys.Noun.self)
        expectSame(try mapping("measures"), PlanKeys.Measures.self)
        expectSame(try mapping("sum"), PlanKeys.Sum.self)
        expectSame(try mapping("histogram"), PlanKeys.Histogram.self)
        expectSame(try mapping("times"), PlanKeys.Times.self)
        expectSame(try mapping("funnel"), PlanKeys.Funnel.self)
        expectSame(try mapping("step"), PlanKeys.Step.self)
        expectSame(try mapping("decay"), PlanKeys.Decay.self)
        expectSame(try mapping("answered"), PlanKeys.Answered.self)
        expectSame(try mapping("retention"), PlanKeys.Retention.self)
        expectSame(try mapping("frequency"), PlanKeys.Frequency.self)
        expectSame(try mapping("insight"), PlanKeys.Insight.self)
        expectSame(try mapping("report"), PlanKeys.Report.self)
        expectSame(try mapping("delivery"), PlanKeys.Delivery.self)
        expectSame(try mapping("partner"), PlanKeys.Partner.self)
    }

    @Test("no mapping with keys is missing from the comparison above")
    func completeness() throws {
        #expect(
            Set(definitions.keys).subtracting(["name", "names", "language", "title", "sentence", "duration"])
                .count == 18)
    }

    @Test("a dimension has exactly one of the same kinds")
    func kinds() throws {
        let alternatives = try #require(try mapping("dimension").node["oneOf"] as? [[String: Any]])
        let first = alternatives.compactMap { ($0["required"] as? [String])?.first }
        #expect(first == PlanKeys.Dimension.kinds.map(\.rawValue))
    }

    @Test("every choice has the same words")
    func words() throws {
        func words(_ name: String, _ path: String...) throws -> [String] {
            var node: Any? = definitions[name]
            for key in ["properties"] + path { node = (node as? [String: Any])?[key] }
            return try #require((node as? [String: Any])?["enum"] as? [String])
        }
        #expect(try words("metric", "period") == PeriodKind.allCases.map(\.rawValue))
        #expect(try words("metric", "rollups", "items") == PeriodKind.hour.rollups.map(\.rawValue))
        #expect(try words("report", "period") == PeriodKind.allCases.map(\.rawValue))
        #expect(try words("report", "formats", "items") == ReportFormat.allCases.map(\.rawValue))
        #expect(try words("purpose", "refused_by", "items") == OptOutSignal.allCases.map(\.rawValue))
        #expect(try words("app", "directed_to") == DirectedTo.allCases.map(\.rawValue))
        #expect(try words("app", "keys") == App.KeyRule.allCases.map(\.rawValue))
        #expect(try words("purpose", "senders") == Purpose.Senders.allCases.map(\.rawValue))
        #expect(try words("purpose", "use") == PurposeUse.allCases.map(\.rawValue))
        #expect(try words("purpose", "consent") == ["required", "not_required", "parent"])
        #expect(try words("insight", "basis") == Insight.Basis.allCases.map(\.rawValue))
        #expect(
            try words("insight", "kind") == [
                "count", "reach", "share", "mean", "distribution", "quantiles", "retention", "frequency", "funnel",
            ])
        #expect(try words("insight", "change", "items") == Insight.Reference.allCases.map(\.rawValue))
        #expect(try words("report", "locale") == ReportLocale.allCases.map(\.rawValue))
        #expect(try words("frequency", "per") == ["week"])
        #expect(try words("dimension", "time") == BucketingRule.TimePart.allCases.map(\.rawValue))
        #expect(
            try words("dimension", "version", "properties", "level")
                == BucketingRule.VersionLevel.allCases.map(\.rawValue))
    }

    @Test("every key of every mapping is described")
    func descriptions() {
        for (name, definition) in definitions {
            let properties = (definition as? [String: Any])?["properties"] as? [String: [String: Any]] ?? [:]
            for (key, property) in properties {
                #expect(property["description"] != nil || property["$ref"] != nil, "\(name).\(key)")
            }
        }
    }
}
