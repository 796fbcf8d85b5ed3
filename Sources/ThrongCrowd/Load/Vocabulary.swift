internal import ThrongPlan
internal import ThrongSystem

/// The values that a plan's own words allow for each field: buckets' labels, which land in their buckets, and numbers
/// within a sum's bounds.
struct Vocabulary {
    private var values: [FieldName: Values] = [:]

    private enum Values {
        case labels([String])
        case numbers(SumMeasure)
    }

    init(plan: Plan, purpose: PurposeName) throws {
        for metric in plan.metrics where metric.purpose == purpose {
            for dimension in plan.cubeDimensions(of: metric) where dimension.field != .time && dimension.field != .event
            {
                if dimension.isRevealed {
                    values[dimension.field] = .labels(FieldTable.hashes.map { "\"\($0)\"" })
                    continue
                }
                let labels = try dimension.rule.compiled(rules: .system).labels.map(\.text.quotedJSON)
                // A finer dimension of the same field has more to choose from.
                if case .labels(let known)? = values[dimension.field], known.count >= labels.count { continue }
                values[dimension.field] = .labels(labels)
            }
            // A sum needs a number, whatever else its field is used for.
            for sum in metric.sums { values[sum.field] = .numbers(sum) }
        }
    }

    func isNumber(_ field: FieldName) -> Bool {
        if case .numbers? = values[field] { true } else { false }
    }

    func json(_ field: FieldName, using random: inout SeededGenerator) -> String? {
        switch values[field] {
        case .labels(let labels): labels.randomElement(using: &random)
        case .numbers(let sum): "\(Int64((sum.lowest + random.fraction() * (sum.highest - sum.lowest)).rounded(.down)))"
        case nil: nil
        }
    }
}
