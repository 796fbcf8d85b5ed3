internal import ThrongPlan
internal import ThrongPostgres

extension RowReader {
    /// A kind of period by its code.
    mutating func periodKind() throws(PostgresError) -> PeriodKind {
        guard let kind = PeriodKind(code: try integer()) else { throw unexpected }
        return kind
    }

    /// A period: its kind, its start and its end.
    mutating func period() throws(PostgresError) -> Period {
        Period(kind: try periodKind(), start: try integer(), end: try integer())
    }

    /// Where the schema numbers something that fits a machine's word.
    mutating func int() throws(PostgresError) -> Int { Int(try integer()) }
}
