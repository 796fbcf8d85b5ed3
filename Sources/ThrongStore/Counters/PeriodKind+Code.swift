internal import ThrongPlan
internal import ThrongPostgres

extension PeriodKind {
    /// What the schema stores: 0 hour, 1 day, 2 week, 3 month.
    var code: Int16 {
        switch self {
        case .hour: 0
        case .day: 1
        case .week: 2
        case .month: 3
        }
    }

    /// The kind that a stored code stands for.
    init?(code: Int64) {
        guard let kind = PeriodKind.allCases.first(where: { Int64($0.code) == code }) else { return nil }
        self = kind
    }

    /// This kind as a parameter.
    var parameter: Parameter { .integer(Int64(code)) }
}
