internal import CLibPQ

/// The answer to a statement, in PostgreSQL's binary format; valid on the connection's thread only.
package final class Rows {
    private let result: OpaquePointer
    private let query: String

    package init(_ result: OpaquePointer, query: String) {
        self.result = result
        self.query = query
    }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }

    var columns: Int { Int(PQnfields(result)) }

    var unexpected: PostgresError { .unexpectedAnswer(query: query) }

    /// The number of rows that the statement touched; 0 for statements that touch none.
    package var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The command that ran, such as COMMIT.
    package var command: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    package var indices: Range<Int> { 0..<count }

    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    /// Returns a whole number of two, four or eight bytes.
    package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        let (base, length) = try value(row, column)
        switch length {
        case 8: return Int64(bigEndian: base.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: base.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: base.loadUnaligned(as: Int16.self)))
        default: throw unexpected
        }
    }

    package func flag(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        let (base, length) = try value(row, column)
        guard length == 1 else { throw unexpected }
        return base.load(as: UInt8.self) != 0
    }

    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        String(decoding: try bytes(row, column), as: UTF8.self)
    }

    package func bytes(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8] {
        let (base, length) = try value(row, column)
        return Array(UnsafeRawBufferPointer(start: base, count: length))
    }

    /// Returns a one-dimensional array of eight-byte whole numbers without nulls.
    ///
    /// Source: PostgreSQL's array_send: dimensions, flags, element type, then length and lower bound a dimension,
    /// then length and bytes an element; all big-endian.
    package func integers(_ row: Int, _ column: Int) throws(PostgresError) -> [Int64] {
        let (base, length) = try value(row, column)
        guard length >= 12 else { throw unexpected }
        func word(_ offset: Int) -> Int {
            Int(Int32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        if word(0) == 0 { return [] }
        guard word(0) == 1, length >= 20, word(4) == 0, length == 20 + word(12) * 12 else { throw unexpected }
        return (0..<word(12)).map { place in
            Int64(bigEndian: base.loadUnaligned(fromByteOffset: 20 + place * 12 + 4, as: Int64.self))
        }
    }

    private func value(_ row: Int, _ column: Int) throws(PostgresError) -> (UnsafeRawPointer, Int) {
        guard row >= 0, row < count, column >= 0, column < columns else { throw unexpected }
        guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column)) else {
            let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? ""
            throw .unexpectedNull(query: query, column: column + 1, name: name)
        }
        return (UnsafeRawPointer(start), Int(PQgetlength(result, Int32(row), Int32(column))))
    }
}
