/// A frequency or magnitude table that someone brought: rows of leaf cells.
package struct Table: Sendable {
    /// The names of the dimensions, in the order of the columns.
    package let dimensions: [String]
    /// The rows, one for each leaf cell.
    package let rows: [Row]
    /// True if rows carry a value besides their count.
    package let hasValues: Bool
    /// Decimal places of the values: they are kept as whole numbers of 10^-decimals.
    package let decimals: Int

    /// One leaf cell.
    package struct Row: Sendable, Hashable {
        /// The codes, one for each dimension.
        package let codes: [String]
        /// The number of contributors. Unit: as the table counts, people or enterprises.
        package let count: Int64
        /// The value. Unit: 10^-decimals of the value's unit; 0 in a frequency table.
        package let value: Int64
        /// The largest contribution to the value.
        package let largest: Int64
        /// The second largest.
        package let second: Int64
    }

    /// The meanings of the columns.
    package struct Columns: Sendable, Hashable {
        /// The column of the number of contributors.
        package var count: String
        /// The column that is added up; nil for a frequency table.
        package var value: String?
        /// The column of the largest contribution; nil if that is not known.
        package var largest: String?
        /// The column of the second largest.
        package var second: String?

        /// Names columns; every other column is a dimension.
        package init(count: String = "count", value: String? = nil, largest: String? = nil, second: String? = nil) {
            self.count = count
            self.value = value
            self.largest = largest
            self.second = second
        }
    }

    private init(_ table: Table, rows: [Row], decimals: Int) {
        dimensions = table.dimensions
        hasValues = table.hasValues
        self.rows = rows
        self.decimals = decimals
    }

    /// Returns the same numbers with more decimal places.
    func scaled(toDecimals decimals: Int) -> Table {
        guard decimals > self.decimals else { return self }
        let scale = (self.decimals..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
        func scaled(_ number: Int64) -> Int64 {
            let (product, overflow) = number.multipliedReportingOverflow(by: scale)
            // The engine refuses what is as large as that.
            return overflow ? .max : product
        }
        return Table(
            self,
            rows: rows.map {
                Row(
                    codes: $0.codes, count: $0.count, value: scaled($0.value), largest: scaled($0.largest),
                    second: scaled($0.second))
            }, decimals: decimals)
    }

    /// Reads a table.
    ///
    /// - Throws: ``TableError`` with the file and row.
    package init(csv text: String, file: String, columns: Columns) throws {
        let csv = try CSVFile(text, file: file)
        func place(_ name: String?) throws -> Int? {
            guard let name else { return nil }
            guard let place = csv.header.firstIndex(of: name) else {
                throw TableError.columnMissing(file: file, column: name, found: csv.header)
            }
            return place
        }
        let places = [
            try place(columns.count), try place(columns.value), try place(columns.largest), try place(columns.second),
        ]
        let dimensionPlaces = csv.header.indices.filter { !places.contains($0) }
        dimensions = dimensionPlaces.map { csv.header[$0] }
        hasValues = columns.value != nil
        guard !csv.rows.isEmpty else { throw TableError.empty(file: file) }

        let decimals =
            places.dropFirst().compactMap { $0 }.flatMap { column in
                csv.rows.map { Self.decimalPlaces(of: $0[column]) }
            }.max() ?? 0
        self.decimals = decimals
        var seen: [[String]: Int] = [:]
        rows = try csv.rows.enumerated().map { offset, fields in
            let line = offset + 2
            func number(_ place: Int?, scaledBy scale: Int) throws -> Int64 {
                guard let place else { return 0 }
                guard let number = Self.number(fields[place], decimals: scale) else {
                    throw TableError.notANumber(file: file, row: line, column: csv.header[place])
                }
                return number
            }
            let row = Row(
                codes: dimensionPlaces.map { fields[$0] },
                count: try number(places[0], scaledBy: 0),
                value: try number(places[1], scaledBy: decimals),
                largest: try number(places[2], scaledBy: decimals),
                second: try number(places[3], scaledBy: decimals))
            guard row.second <= row.largest, row.largest <= row.value - row.second else {
                throw TableError.contributionsTooLarge(file: file, row: line)
            }
            if let first = seen[row.codes] { throw TableError.rowTwice(file: file, row: line, first: first) }
            seen[row.codes] = line
            return row
        }
    }

    private static func decimalPlaces(of text: String) -> Int {
        text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
    }

    /// Reads a plain decimal number of at least 0 as a whole number of 10^-decimals; nil for anything else.
    static func number(_ text: String, decimals: Int) -> Int64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty, decimals <= 6 else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        guard parts.count == 1 || !fraction.isEmpty, fraction.count <= decimals else { return nil }
        var number: Int64 = 0
        for digit in Array(whole) + fraction + Array(repeating: UInt8(ascii: "0"), count: decimals - fraction.count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit) - 48)
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
