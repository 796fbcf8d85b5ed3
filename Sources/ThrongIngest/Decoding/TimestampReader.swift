internal import ThrongPlan

/// Reads RFC 3339 timestamps from bytes, without allocation. It remembers the last date, as most are of one day.
struct TimestampReader {
    /// The ten bytes of the last date, as two numbers.
    private var date: (UInt64, UInt16) = (0, 0)
    /// The last date. Unit: days since 1970-01-01.
    private var days: Int64 = 0
    /// The sixteen bytes before the seconds of the last time in UTC without a fraction, as two numbers, and their instant.
    private var minute: (UInt64, UInt64) = (.max, .max)
    private var start = UnixSeconds.epoch

    /// Returns an instant, fractions dropped; nil for anything but `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`.
    ///
    /// A leap second counts as the second after it.
    mutating func instant(_ bytes: UnsafeBufferPointer<UInt8>) -> UnixSeconds? {
        let raw = UnsafeRawBufferPointer(bytes)
        guard raw.count == 20 else { return read(raw) }
        let written = (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        if written == minute, let second = Self.second(raw) { return start + second }
        guard let instant = read(raw) else { return nil }
        if let second = Self.second(raw) { (minute, start) = (written, instant - second) }
        return instant
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> UnixSeconds? {
        guard bytes.count >= 20, bytes.count <= 40 else { return nil }
        func number(_ start: Int, _ digits: Int) -> Int? {
            var value = 0
            for offset in start..<start + digits {
                let digit = Int(bytes[offset]) - 48
                guard (0...9).contains(digit) else { return nil }
                value = value * 10 + digit
            }
            return value
        }
        func holds(_ character: Unicode.Scalar, _ offset: Int) -> Bool { bytes[offset] == UInt8(ascii: character) }
        let written = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        if written != date {
            guard let year = number(0, 4), holds("-", 4), let month = number(5, 2), holds("-", 7),
                let day = number(8, 2), let known = CalendarDate(year: year, month: month, day: day)
            else { return nil }
            (date, days) = (written, known.daysSince1970)
        }
        guard holds("T", 10) || holds("t", 10) || holds(" ", 10), let second = Self.secondOfDay(bytes) else {
            return nil
        }
        var offset = 19
        if holds(".", offset) {
            offset += 1
            let first = offset
            while offset < bytes.count, (48...57).contains(bytes[offset]) { offset += 1 }
            guard offset > first, offset < bytes.count else { return nil }
        }
        let local = UnixSeconds(days * 86_400 + second)
        if holds("Z", offset) || holds("z", offset) { return offset + 1 == bytes.count ? local : nil }
        guard offset + 6 == bytes.count, holds("+", offset) || holds("-", offset), let hours = number(offset + 1, 2),
            holds(":", offset + 3), let minutes = number(offset + 4, 2), hours < 24, minutes < 60
        else { return nil }
        let shift = Int64(hours * 3600 + minutes * 60)
        return holds("+", offset) ? local - shift : local + shift
    }

    /// Returns the seconds of a text whose last four bytes are `:SSZ`, but for a leap second; nil for any other end.
    @inline(__always) private static func second(_ text: UnsafeRawBufferPointer) -> Int64? {
        let digits = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: 16, as: UInt32.self)) ^ 0x5a30_303a
        let (tens, ones) = (digits >> 8 & 0xff, digits >> 16 & 0xff)
        return digits & 0xff00_00ff == 0 && tens < 6 && ones < 10 ? Int64(tens * 10 + ones) : nil
    }

    /// Returns the seconds that `HH:MM:SS` at the twelfth byte stands for, from all eight bytes at once.
    @inline(__always) private static func secondOfDay(_ text: UnsafeRawBufferPointer) -> Int64? {
        let clock = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 11, as: UInt64.self))
        // Digits become their values and colons 0; what is added brings anything larger to its byte's highest bit.
        let digits = clock ^ 0x3030_3a30_303a_3030
        guard (digits | (digits &+ 0x7676_7f76_767f_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        // In its first byte a pair is now the number that it spells.
        let pairs = digits &* 10 &+ digits >> 8
        let (hour, minute, second) = (Int64(pairs & 0xff), Int64(pairs >> 24 & 0xff), Int64(pairs >> 48 & 0xff))
        return hour < 24 && minute < 60 && second <= 60 ? hour * 3600 + minute * 60 + second : nil
    }
}
