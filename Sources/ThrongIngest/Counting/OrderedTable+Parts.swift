internal import ThrongPlan

// A checkpoint holds tables section by section, each as it was at one moment. Sections are never all taken at once:
// counting goes on between two of them, and copies at most the one that is being written.

extension OrderedTable {
    /// Returns sections from one on that hold about `bytes` together, at least one section.
    func run(from first: Int, bytes: Int) -> [Section] {
        var end = first
        var taken = 0
        repeat {
            taken += sections[end].count * MemoryLayout<Entry>.stride
            end += 1
        } while end < sections.count && taken + sections[end].count * MemoryLayout<Entry>.stride <= bytes
        // Only these references are copied: a slice would hold on to all others, too.
        return Array(sections[first..<end])
    }

    /// Returns the slots of sections as they lie in memory, in the order of hashes, behind a head.
    static func bytes(of sections: [Section], after head: [UInt8]) -> [UInt8] {
        let stride = MemoryLayout<Entry>.stride
        let size = head.count + sections.reduce(0) { $0 + $1.count } * stride
        return [UInt8](unsafeUninitializedCapacity: size) { bytes, end in
            bytes.baseAddress?.initialize(from: head, count: head.count)
            end = head.count
            let raw = UnsafeMutableRawBufferPointer(bytes)
            for section in sections {
                section.slots.withUnsafeBufferPointer { slots in
                    for slot in slots where slot.order != 0 {
                        raw.storeBytes(of: slot, toByteOffset: end, as: Entry.self)
                        end += stride
                    }
                }
            }
        }
    }

    /// Fills sections of an empty table from the output of ``bytes(of:after:)``.
    ///
    /// - Parameter position: the last record that the sections include.
    /// - Returns: false if the bytes are malformed.
    mutating func load(
        _ bytes: UnsafeRawBufferPointer, sections range: Range<Int>, through position: JournalPosition
    ) -> Bool {
        let stride = MemoryLayout<Entry>.stride
        guard range.lowerBound >= 0, range.upperBound <= sections.count, bytes.count % stride == 0 else { return false }
        if through.isEmpty { through = Array(repeating: .start, count: sections.count) }
        let isAligned = UInt(bitPattern: bytes.baseAddress) % UInt(MemoryLayout<Entry>.alignment) == 0
        if isAligned {
            return bytes.withMemoryRebound(to: Entry.self) { load($0, sections: range, through: position) }
        }
        return [Entry](unsafeUninitializedCapacity: bytes.count / stride) { slots, end in
            UnsafeMutableRawBufferPointer(slots).copyMemory(from: bytes)
            end = bytes.count / stride
        }
        .withUnsafeBufferPointer { load($0, sections: range, through: position) }
    }

    private mutating func load(
        _ slots: UnsafeBufferPointer<Entry>, sections range: Range<Int>, through position: JournalPosition
    ) -> Bool {
        var start = 0
        for section in range {
            guard sections[section].count == 0 else { return false }
            through[section] = position
            var end = start
            while end < slots.count, Self.section(of: slots[end]) == section {
                guard slots[end].order != 0, end == start || slots[end - 1].order <= slots[end].order else {
                    return false
                }
                end += 1
            }
            if end > start { sections[section].fill(UnsafeBufferPointer(rebasing: slots[start..<end])) }
            count += end - start
            start = end
        }
        return start == slots.count
    }

    /// True if the effect of a record on a slot came with a checkpoint.
    func holds(_ slot: Entry, at position: JournalPosition) -> Bool {
        !through.isEmpty && position <= through[Self.section(of: slot)]
    }

    /// Adds a slot to be merged later, unless it came with a checkpoint.
    mutating func insertLater(_ slot: Entry, at position: JournalPosition) {
        if !holds(slot, at: position) { insertLater(slot) }
    }
}
