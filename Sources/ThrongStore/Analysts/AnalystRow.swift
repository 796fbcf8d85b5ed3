/// One row of a view: its buckets and its numbers, or why there are none.
public struct AnalystRow: Sendable, Hashable {
    /// First second of its period. Unit: Unix seconds.
    public let start: Int64
    /// One a column of its margin.
    public let buckets: [String]
    /// One a measure that was asked for; nil where there is none.
    public let numbers: [Number?]
    /// Null in the database where the numbers are there; else why not.
    public let withheld: String?

    /// A number as PostgreSQL has it.
    public struct Number: Sendable, Hashable {
        /// The number in units of 10^-places.
        public let units: Int128
        /// Digits after the point.
        public let places: Int

        /// Puts a number together.
        public init(units: Int128, places: Int) {
            self.units = units
            self.places = places
        }
    }
}
