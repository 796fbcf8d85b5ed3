/// One row of a view: its buckets and its numbers, or why there are none.
package struct AnalystRow: Sendable, Hashable {
    /// First second of its period. Unit: Unix seconds.
    package let start: Int64
    /// One a column of its margin.
    package let buckets: [String]
    /// One a measure that was asked for; nil where there is none.
    package let numbers: [Number?]
    /// Null in the database where the numbers are there; else why not.
    package let withheld: String?

    /// A number as PostgreSQL has it.
    package struct Number: Sendable, Hashable {
        /// The number in units of 10^-places.
        package let units: Int128
        /// Digits after the point.
        package let places: Int

        /// Puts a number together.
        package init(units: Int128, places: Int) {
            self.units = units
            self.places = places
        }
    }
}
