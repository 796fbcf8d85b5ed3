internal import CLibPQ
internal import Glibc
internal import ThrongWire

/// Writes rows in PostgreSQL's binary copy format.
///
/// Format (PostgreSQL's manual, COPY, "Binary Format"; whole numbers are big-endian):
/// signature `PGCOPY\n\377\r\n\0`, 4 bytes of flags (0), 4 bytes of extension length (0); a row is 2 bytes of column
/// count and, a column, 4 bytes of length (-1 is null) and the value; the end is 2 bytes of -1.
package final class CopyWriter {
    private let buffer: UnsafeMutableRawPointer
    private var length = 0
    private let send: (UnsafeRawBufferPointer) throws -> Void

    /// The size of the buffer, which is sent at once. Unit: bytes.
    private static let capacity = 1 << 18
    /// The longest fixed-width write. Unit: bytes.
    private static let reserve = 64

    package init(_ send: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        (self.send, buffer) = (send, .allocate(byteCount: Self.capacity, alignment: 16))
        for byte in [UInt8]("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] { store(byte) }
        store(Int64(0))
    }

    deinit { buffer.deallocate() }

    /// Begins a row with numbers, of which more columns may follow.
    package func row<each Number: FixedWidthInteger>(columns: Int16, _ numbers: repeat each Number) throws {
        try makeRoom()
        store(columns.bigEndian)
        for number in repeat each numbers { try self.number(number) }
    }

    /// Writes a smallint, integer or bigint by the number's size; nil is null.
    package func number<Number: FixedWidthInteger>(_ value: Number?) throws {
        try makeRoom()
        store(Int32(value == nil ? -1 : MemoryLayout<Number>.size).bigEndian)
        if let value { store(value.bigEndian) }
    }

    /// Returns a timestamptz as a bigint; far away instants become the ends of PostgreSQL's range.
    static func instant(_ time: UnixSeconds) -> Int64 {
        // Half of Int64's range: far from overflow, far beyond any period.
        let limit: Int64 = 4_000_000_000_000
        // PostgreSQL counts microseconds since 2000.
        return (min(max(time.value, -limit), limit) - 946_684_800) * 1_000_000
    }

    /// Writes a bigint[] without nulls.
    package func bigints(_ values: [Int64]) throws {
        try arrayHeader(elements: values.count, bytes: values.count * 12, hasNulls: false, type: 20)
        for value in values { try number(value) }
    }

    /// Writes a text[]; nil is null.
    package func texts(_ values: [String?]) throws {
        let bytes = values.reduce(0) { $0 + 4 + ($1?.utf8.count ?? 0) }
        try arrayHeader(elements: values.count, bytes: bytes, hasNulls: values.contains(nil), type: 25)
        for value in values { if let value { try text(value) } else { try number(nil as Int64?) } }
    }

    package func text(_ value: String) throws {
        try makeRoom()
        store(Int32(value.utf8.count).bigEndian)
        for byte in value.utf8 {
            try makeRoom()
            store(byte)
        }
    }

    /// Sends whole rows as ``Session/copyOut(_:_:_:)`` gave them.
    package func rows(_ bytes: UnsafeRawBufferPointer) throws {
        try drain()
        try send(bytes)
    }

    package func finish() throws {
        try makeRoom()
        store(Int16(-1).bigEndian)
        try drain()
    }

    private func arrayHeader(elements: Int, bytes: Int, hasNulls: Bool, type: Int32) throws {
        try makeRoom()
        store(Int32((elements == 0 ? 12 : 20) + bytes).bigEndian)
        store(Int32(elements == 0 ? 0 : 1).bigEndian)
        store(Int32(hasNulls ? 1 : 0).bigEndian)
        store(type.bigEndian)
        if elements > 0 {
            store(Int32(elements).bigEndian)
            store(Int32(1).bigEndian)
        }
    }

    private func makeRoom() throws { if length + Self.reserve > Self.capacity { try drain() } }

    private func drain() throws {
        try send(UnsafeRawBufferPointer(start: buffer, count: length))
        length = 0
    }

    private func store<Value: FixedWidthInteger>(_ value: Value) {
        buffer.storeBytes(of: value, toByteOffset: length, as: Value.self)
        length += MemoryLayout<Value>.size
    }
}

extension Session {
    /// Sends rows through `copy … from stdin (format binary)`; returns the number that arrived.
    ///
    /// - Parameter write: gets the writer and adds rows to it; an error that it throws ends the copy without effect.
    @discardableResult
    package func copyIn(_ name: String, _ sql: String, _ write: (CopyWriter) throws -> Void) throws -> Int {
        guard PQsendQuery(handle, sql) == 1 else { throw broken(.connectionLost(query: name)) }
        _ = try results(of: name)
        let deadline = deadline()
        let writer = CopyWriter { [self] bytes in
            guard !bytes.isEmpty, let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            while true {
                switch PQputCopyData(handle, start, Int32(bytes.count)) {
                case 1: return try flush(name, until: deadline)
                case 0: try flush(name, until: deadline)
                default: throw broken(.connectionLost(query: name))
                }
            }
        }
        do {
            try write(writer)
            try writer.finish()
        } catch {
            if !isBroken {
                PQputCopyEnd(handle, "the writer gave up")
                // The server confirms by an error that the copy failed; the writer's error is the one to report.
                _ = Result { try results(of: name) }
            }
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw broken(.connectionLost(query: name)) }
        return try results(of: name).affected
    }

    /// Reads rows through `copy … to stdout (format binary)`, as they come; returns their number.
    ///
    /// - Parameter row: gets each row, which is valid until it returns; an error that it throws drops the connection.
    package func copyOut(_ name: String, _ sql: String, _ row: (UnsafeRawBufferPointer) throws -> Void) throws -> Int {
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
                do { try rows.add(UnsafeRawBufferPointer(start: message, count: Int(length)), row) } catch {
                    // The rest is not read: the server's further output would be taken for the next answer.
                    _ = broken(.connectionLost(query: name))
                    throw error
                }
            default: return try results(of: name).affected
            }
        }
    }
}

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
