internal import ThrongPlan

extension RowReader {
    /// Reads a kind of period by its code.
    mutating func periodKind() throws(PostgresError) -> PeriodKind {
        guard let kind = PeriodKind(code: try integer()) else { throw unexpected }
        return kind
    }

    /// Reads a period: its kind, its start and its end.
    mutating func period() throws(PostgresError) -> Period {
        Period(kind: try periodKind(), start: try time(), end: try time())
    }

    /// Reads the kept dimensions, by their bits.
    mutating func margin() throws(PostgresError) -> Margin { Margin(bits: UInt32(truncatingIfNeeded: try integer())) }

    /// Reads a cell of a margin.
    mutating func cell() throws(PostgresError) -> CellIndex { CellIndex(UInt32(truncatingIfNeeded: try integer())) }

    /// Reads the measure of a counter.
    mutating func measure() throws(PostgresError) -> MeasureIndex {
        MeasureIndex(Int16(truncatingIfNeeded: try integer()))
    }

    /// Reads a number that fits a machine's word.
    mutating func int() throws(PostgresError) -> Int { Int(try integer()) }
}
