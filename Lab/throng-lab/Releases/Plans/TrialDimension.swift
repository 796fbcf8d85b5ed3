/// A way to split a field that a random plan may choose, with a reading of it that the engine has no part in.
struct TrialDimension: Sendable {
    let name: String
    /// Its text in a plan's file.
    let text: String
    /// The field of an event: one of ``TrialDimension/values``, or `event`.
    let field: String
    /// The dimension whose buckets it is made of.
    var base: String?
    /// The bucket of a value.
    let label: @Sendable (String) -> String

    /// Every value that anybody has in a field.
    static let values: [(field: String, all: [String])] = [
        ("country", ["AT", "DE", "CH", "LI", "LU", "FR"]), ("age", ["10", "25", "35", "50"]), ("os", ["x", "y", "z"]),
        ("amount", ["0", "1", "3", "8"]),
    ]

    static let all: [TrialDimension] = [
        TrialDimension(
            name: "country", text: "{title: It, field: country, list: [AT, DE, CH], partitions: devices}",
            field: "country", label: listed(["AT", "DE", "CH"])),
        TrialDimension(
            name: "land", text: "{title: It, field: country, list: [AT, DE, CH], partitions: devices}",
            field: "country", label: listed(["AT", "DE", "CH"])),
        TrialDimension(
            name: "near", text: "{title: It, field: country, list: {near: [AT, DE]}, partitions: devices}",
            field: "country", label: { ["AT", "DE"].contains($0) ? "near" : "other" }),
        TrialDimension(
            name: "far", text: "{title: It, field: country, list: {far: [AT, DE, LI, LU]}, partitions: devices}",
            field: "country", label: { ["AT", "DE", "LI", "LU"].contains($0) ? "far" : "other" }),
        TrialDimension(
            name: "dach", text: "{title: It, of: country, groups: {D: [AT, DE]}}", field: "country", base: "country",
            label: { ["AT", "DE"].contains($0) ? "D" : "other" }),
        TrialDimension(
            name: "age", text: "{title: It, field: age, bands: [20, 40], partitions: devices}", field: "age",
            label: banded([20, 40])),
        TrialDimension(
            name: "os", text: "{title: It, field: os, list: [x, y], partitions: devices}", field: "os",
            label: listed(["x", "y"])),
        TrialDimension(
            name: "kind", text: "{title: It, field: event, list: [a, b]}", field: "event", label: listed(["a", "b"])),
    ]

    /// The split of a metric's histogram.
    static let histogram = TrialDimension(
        name: "spending", text: "", field: "amount", label: banded([2, 5]))

    static func named(_ name: String) -> TrialDimension? {
        name == histogram.name ? histogram : all.first { $0.name == name }
    }

    private static func listed(_ values: Set<String>) -> @Sendable (String) -> String {
        { values.contains($0) ? $0 : "other" }
    }

    private static func banded(_ edges: [Int]) -> @Sendable (String) -> String {
        { text in
            guard let number = Int(text), let first = edges.first, let last = edges.last else { return "other" }
            if number < first { return "<\(first)" }
            for (from, to) in zip(edges, edges.dropFirst()) where number < to { return "\(from)-\(to)" }
            return ">=\(last)"
        }
    }
}
