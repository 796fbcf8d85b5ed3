internal import Foundation
internal import ThrongPlan

/// Devices among others in the context of their batches: the unique ones, and how much a context tells.
package struct Uniqueness: Sendable, Hashable, Encodable {
    /// The purpose for which batches are sent; nil for what all of them say together.
    package let purpose: String?
    /// Unit: devices.
    package let devices: Int
    /// Those that are alone with the fields that are sent, where a client sends values as they are.
    package let uniqueValues: Int
    /// Those that are alone with all of their buckets, as they are counted and as the SDK sends them.
    package let uniqueBuckets: Int
    /// The bits that a context tells, in buckets.
    package let bits: Double
    package let dimensions: [Told]

    /// The bits that a dimension tells of a device.
    package struct Told: Sendable, Hashable, Encodable {
        package let dimension: String
        /// Unit: bits; 0 where all are in one bucket.
        package let bits: Double
    }

    init(_ purpose: PurposeName?, fields: Set<FieldName>, _ dimensions: [ThrongPlan.Dimension], of visitors: [Visitor])
        throws
    {
        self.purpose = purpose?.text
        devices = visitors.count
        let names = Set(fields.map(\.text))
        let values = visitors.map { visitor in
            visitor.fields.filter { names.contains($0.name) }.map { "\($0.name)=\($0.json)" }
        }
        uniqueValues = Self.alone(values)
        let bucketings = try dimensions.map { ($0.field, try $0.rule.compiled(rules: .system)) }
        let buckets = visitors.map { visitor in bucketings.map { visitor.bucket(of: $0, by: $1) } }
        uniqueBuckets = Self.alone(buckets)
        bits = Self.bits(buckets)
        self.dimensions = dimensions.enumerated().map { place, dimension in
            Told(dimension: dimension.name.text, bits: Self.bits(buckets.map { $0[place] }))
        }
    }

    private static func alone(_ all: [some Hashable]) -> Int {
        Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +).values.count { $0 == 1 }
    }

    /// Shannon's entropy, to a thousandth.
    private static func bits(_ all: [some Hashable]) -> Double {
        let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +).values.sorted()
        let sum = counts.reduce(0.0) { sum, count in
            let share = Double(count) / Double(all.count)
            return sum - share * log2(share)
        }
        return (sum * 1000).rounded() / 1000 + 0
    }
}

extension Plan {
    /// The crowding of visitors in each purpose's batches, and in all of them together.
    func crowding(of visitors: [Visitor]) throws -> [Uniqueness] {
        let known = Set((visitors.first?.fieldNames ?? []).map { FieldName($0) })
        func crowding(_ name: PurposeName?, _ purposes: [Purpose]) throws -> Uniqueness? {
            let fields = purposes.reduce(into: Set<FieldName>()) { $0.formUnion(contextFields(of: $1.name)) }
                .intersection(known)
            let counted = metrics.filter { metric in purposes.contains { $0.name == metric.purpose } }
            let used = Set(counted.flatMap(\.dimensions) + counted.flatMap(\.steps).flatMap(\.filters).map(\.dimension))
            let dimensions = dimensions.filter { used.contains($0.name) && fields.contains($0.field) && !$0.isRevealed }
            guard !dimensions.isEmpty else { return nil }
            return try Uniqueness(name, fields: fields, dimensions, of: visitors)
        }
        let each = try purposes.compactMap { try crowding($0.name, [$0]) }
        let together = each.count > 1 ? try crowding(nil, purposes) : nil
        return each + [together].compactMap { $0 }
    }
}
