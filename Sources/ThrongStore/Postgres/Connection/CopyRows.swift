internal import CLibPQ
internal import Glibc

/// Splits the output of `copy … to stdout (format binary)` into rows; ``CopyWriter`` has the format.
struct CopyRows {
    /// The bytes that are no whole row yet.
    private var waiting: [UInt8] = []
    private var isPastHeader = false

    /// The size of signature, flags and the length of the extension. Unit: bytes.
    private static let header = 19

    /// Adds the next bytes; hands on each row that is whole, with its count of columns in front.
    mutating func add(_ bytes: UnsafeRawBufferPointer, _ row: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        waiting.append(contentsOf: bytes)
        var start = 0
        try waiting.withUnsafeBytes { all in
            if !isPastHeader, all.count >= Self.header {
                start = Self.header
                isPastHeader = true
            }
            guard isPastHeader else { return }
            while let end = Self.end(ofRowAt: start, in: all) {
                try row(UnsafeRawBufferPointer(rebasing: all[start..<end]))
                start = end
            }
        }
        waiting.removeFirst(start)
    }

    /// Finds the end of a row; nil where the row is incomplete, or is the end mark.
    private static func end(ofRowAt start: Int, in all: UnsafeRawBufferPointer) -> Int? {
        guard all.count >= start + 2 else { return nil }
        let columns = Int16(bigEndian: all.loadUnaligned(fromByteOffset: start, as: Int16.self))
        guard columns >= 0 else { return nil }
        var place = start + 2
        for _ in 0..<columns {
            guard all.count >= place + 4 else { return nil }
            let length = Int32(bigEndian: all.loadUnaligned(fromByteOffset: place, as: Int32.self))
            place += 4 + Int(max(length, 0))
        }
        return place <= all.count ? place : nil
    }
}

/// A row of the binary copy format, to be read column by column.
package struct CopiedRow {
    /// The number of columns not read yet.
    package private(set) var columns: Int16
    /// The bytes not read yet: for each column 4 bytes of length, -1 for null, and the value.
    package private(set) var rest: UnsafeRawBufferPointer

    /// Reads a row as ``Session/copyOut(_:_:_:)`` hands it on.
    package init(_ bytes: UnsafeRawBufferPointer) {
        columns = Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))
        rest = UnsafeRawBufferPointer(rebasing: bytes[2...])
    }

    /// Reads the next column as text; nil for null, and where there is none.
    package mutating func text() -> String? {
        guard columns > 0 else { return nil }
        let length = Int(Int32(bigEndian: rest.loadUnaligned(as: Int32.self)))
        columns -= 1
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[(4 + max(length, 0))...]) }
        return length < 0 ? nil : String(decoding: rest[4..<4 + length], as: UTF8.self)
    }
}

extension Session {
    /// Reads rows through `copy … to stdout (format binary)`, as they come; returns their number.
    ///
    /// - Parameter row: gets each row, which is valid until it returns; an error that it throws drops the connection.
    package func copyOut(
        _ name: String, _ sql: String, _ row: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        guard PQsendQuery(handle, sql) == 1 else { throw broken(.connectionLost(query: name)) }
        _ = try results(of: name)
        var rows = CopyRows()
        while true {
            var message: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(handle, &message, 1)
            switch length {
            case 0:
                try wait(for: Int16(POLLIN), name, until: deadline())
                guard PQconsumeInput(handle) == 1 else { throw broken(.connectionLost(query: name)) }
            case 1...:
                defer { PQfreemem(message) }
                do {
                    try rows.add(UnsafeRawBufferPointer(start: message, count: Int(length)), row)
                } catch {
                    // The rest is not read: the server's further output would be taken for the next answer.
                    _ = broken(.connectionLost(query: name))
                    throw error
                }
            default: return try results(of: name).affected
            }
        }
    }
}
