internal import ThrongPlan
internal import ThrongPostgres

extension UnixSeconds {
    /// Its number as a parameter.
    var parameter: Parameter { .integer(value) }
}

extension Parameter {
    /// An instant for `to_timestamp`: what lies outside the years 1 to 9999 goes to their ends.
    static func instant(_ time: UnixSeconds) -> Parameter { .instant(time.value) }
}

extension CopyWriter {
    /// A timestamptz; far away instants go to the ends of what PostgreSQL can hold.
    func instant(_ time: UnixSeconds) throws { try instant(time.value) }
}

extension RowReader {
    /// An instant, as a whole number.
    mutating func time() throws(PostgresError) -> UnixSeconds { UnixSeconds(try integer()) }

    /// An instant, or nil for null.
    mutating func optionalTime() throws(PostgresError) -> UnixSeconds? { try optionalInteger().map { UnixSeconds($0) } }
}
