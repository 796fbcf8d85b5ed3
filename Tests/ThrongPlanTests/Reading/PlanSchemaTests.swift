import Foundation
import Testing

@testable import ThrongPlan

@Suite("The JSON Schema and the reader know the same plan")
struct PlanSchemaTests {
    /// One mapping of the schema.
    private struct Mapping {
        let node: [String: Any]
        var properties: [String: [String: Any]] { node["properties"] as? [String: [String: Any]] ?? [:] }
        var keys: [String] { properties.keys.sorted() }
        var required: [String] { ((node["required"] as? [String]) ?? []).sorted() }
        var isClosed: Bool { node["additionalProperties"] as? Bool == false }
    }

    private struct Unreadable: Error {}

    private let definitions: [String: Any]
    /// Each mapping that has keys of its own, by the name of what it describes.
    private let mappings: [String: Mapping]

    init() throws {
        let json = try JSONSerialization.jsonObject(with: Data(PlanSchema.bytes))
        guard let root = json as? [String: Any], let definitions = root["$defs"] as? [String: Any] else {
            throw Unreadable()
        }
        self.definitions = definitions
        var mappings: [String: Mapping] = [:]
        func find(in node: Any, _ name: String) {
            if let nodes = node as? [Any] { for node in nodes { find(in: node, name) } }
            guard let node = node as? [String: Any] else { return }
            if node["properties"] != nil { mappings[name] = Mapping(node: node) }
            for (key, value) in node {
                guard key == "properties" || key == "$defs", let parts = value as? [String: Any] else {
                    find(in: value, name)
                    continue
                }
                for (name, part) in parts { find(in: part, name) }
            }
        }
        find(in: root, "plan")
        self.mappings = mappings
    }

    private func mapping(_ name: String) throws -> Mapping { try #require(mappings[name]) }

    @Test("the reader's keys are the schema's, and no mapping has others")
    func keys() throws {
        func expectSame<Key: PlanKey>(_ name: String, _: Key.Type) throws {
            #expect(try mapping(name).keys == Key.names.sorted())
            #expect(try mapping(name).required == Key.required.map(\.rawValue).sorted())
        }
        try expectSame("plan", PlanKeys.Root.self)
        try expectSame("metric", PlanKeys.Metric.self)
        try expectSame("screen", PlanKeys.Screen.self)
        try expectSame("utc_offset", PlanKeys.UtcOffset.self)
        try expectSame("measures", PlanKeys.Measures.self)
        #expect(PlanKeys.App.timeZone.rawValue == "time_zone")
        #expect(mappings.count > 25)
        for (name, mapping) in mappings { #expect(mapping.isClosed, "\(name)") }
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
        #expect(try words("purpose", "senders") == PurposeSenders.allCases.map(\.rawValue))
        #expect(try words("purpose", "use") == PurposeUse.allCases.map(\.rawValue))
        #expect(try words("purpose", "consent") == ["required", "not_required", "parent"])
        #expect(try words("insight", "basis") == Insight.Basis.allCases.map(\.rawValue))
        #expect(
            try words("insight", "kind") == [
                "count", "reach", "share", "mean", "distribution", "quantiles", "retention", "frequency", "funnel",
            ])
        #expect(try words("insight", "change", "items") == Insight.Reference.allCases.map(\.rawValue))
        #expect(try words("frequency", "per") == ["week"])
        #expect(try words("dimension", "time") == BucketingRule.TimePart.allCases.map(\.rawValue))
        #expect(
            try words("dimension", "version", "properties", "level")
                == BucketingRule.VersionLevel.allCases.map(\.rawValue))
    }

    @Test("every key of every mapping is described")
    func descriptions() {
        for (name, mapping) in mappings where name != "plan" {
            for (key, property) in mapping.properties {
                #expect(property["description"] != nil || property["$ref"] != nil, "\(name).\(key)")
            }
        }
    }
}
