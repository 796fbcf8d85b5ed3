internal import ThrongPlan

extension PeriodKind {
    /// The code in the schema: 0 hour, 1 day, 2 week, 3 month.
    var code: Int16 {
        switch self {
        case .hour: 0
        case .day: 1
        case .week: 2
        case .month: 3
        }
    }

    /// Reads a stored code; nil for any other number.
    init?(code: Int64) {
        guard let kind = PeriodKind.allCases.first(where: { Int64($0.code) == code }) else { return nil }
        self = kind
    }

    /// This kind as a parameter.
    var parameter: Parameter { .integer(Int64(code)) }
}
