internal import ThrongPlan

extension UnixSeconds {
    var parameter: Parameter { .integer(value) }
}

extension Parameter {
    /// An instant for `to_timestamp`: times outside the years 1 to 9999 become their ends.
    static func instant(_ time: UnixSeconds) -> Parameter { .instant(time.value) }
}

extension CopyWriter {
    /// Writes a timestamptz; far away instants become the ends of PostgreSQL's range.
    func instant(_ time: UnixSeconds) throws { try instant(time.value) }
}

extension RowReader {
    /// Reads an instant, as a whole number.
    mutating func time() throws(PostgresError) -> UnixSeconds { UnixSeconds(try integer()) }

    /// Reads an instant, or nil for null.
    mutating func optionalTime() throws(PostgresError) -> UnixSeconds? { try optionalInteger().map { UnixSeconds($0) } }
}
