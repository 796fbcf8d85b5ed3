internal import Foundation
internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// The recent flushes, kept so that a PostgreSQL that has lost some of them can have them again.
///
/// A flush is on disk here before PostgreSQL gets it, and so before the journal removes the records that it was made
/// of. They join: each begins at the watermark that the one before left. `KeptFlushFile.swift` has the format.
package final class KeptFlushes: Sendable {
    package struct Options: Sendable {
        /// The time for which flushes are kept; 0 keeps none. Unit: seconds.
        package var seconds: Int64
        /// The total size beyond which the oldest are removed. Unit: bytes.
        package var capBytes: Int

        /// Creates a retention; the defaults are an hour and 1 GiB.
        package init(seconds: Int64 = 3600, capBytes: Int = 1 << 30) {
            (self.seconds, self.capBytes) = (seconds, capBytes)
        }
    }

    private struct Kept {
        let file: KeptFlushFile
        var entries: [KeptFlushFile.Entry]
        var bytes: Int
        /// True if this process writes to the file, and has not closed it.
        var isOpen: Bool
    }

    /// The files, ascending, with entries that join. The one that is being written to is the last.
    private struct State {
        var files: [Kept] = []
        var nextNumber = 0
        /// The meanings of the open file's layout numbers.
        var layouts: [MetricLayout] = []
        var ids: [LayoutID] = []
    }

    private let state: Mutex<State>
    private let size = Mutex(0)
    private let data: DataDirectory
    private let options: Options

    private static let fileBytes = 64 << 20

    /// Loads what earlier starts kept; removes flushes that do not join, or whose key is gone.
    package init(_ data: DataDirectory, options: Options = Options()) throws(JournalError) {
        (self.data, self.options) = (data, options)
        try data.disk.ensureDirectory(data.flushedPath)
        var found = State()
        let numbers = try KeptFlushFile.numbers(in: data.flushedPath, on: data.disk)
        for number in numbers {
            found.nextNumber = number + 1
            guard let file = try Self.file(number, in: data) else {
                try KeptFlushFile.destroy(number, in: data.flushedPath, on: data.disk)
                continue
            }
            let (entries, broken) = try file.entries()
            // The last file may have been cut off during a write, which loses nothing.
            if let broken, number < numbers.last ?? 0 { data.tell(broken) }
            guard let first = entries.first, let last = entries.last else {
                try file.destroy()
                continue
            }
            if let earlier = found.files.last?.entries.last?.through, earlier != first.after {
                for kept in found.files { try kept.file.destroy() }
                found.files = []
            }
            found.files.append(Kept(file: file, entries: entries, bytes: last.offset + last.size, isOpen: false))
        }
        // Flushes found here count as kept, so they must be on disk: see Journal.
        if let newest = found.files.last { try data.disk.secure(newest.file.path) }
        size.withLock { [bytes = found.files.reduce(0) { $0 + $1.bytes }] in $0 = bytes }
        state = Mutex(found)
    }

    /// Returns the file with a number; nil if it can't be read. Damage is reported.
    private static func file(_ number: Int, in data: DataDirectory) throws(JournalError) -> KeptFlushFile? {
        do throws(JournalError) { return try KeptFlushFile(existing: number, in: data) } catch {
            guard case .damagedFile(let damage) = error else { throw error }
            if case .newer = damage.flaw { throw error }
            if damage.flaw == .directory { try data.setAside(damage) } else { data.tell(damage) }
            return nil
        }
    }

    /// The size on disk. Unit: bytes.
    package var bytes: Int { size.withLock { $0 } }

    /// The watermark that the last kept flush leaves; nil if none is kept.
    package var last: JournalPosition? { state.withLock { $0.files.last?.entries.last?.through } }

    /// Returns PostgreSQL's watermark after all flushes kept from a watermark on; nil if none begins there.
    package func end(from watermark: JournalPosition) -> JournalPosition? {
        state.withLock { state in
            guard state.files.contains(where: { $0.entries.contains { $0.after == watermark } }) else { return nil }
            return state.files.last?.entries.last?.through
        }
    }

    /// Returns the number of kept flushes that lead from one watermark to another; nil if they don't.
    package func steps(from watermark: JournalPosition, to target: JournalPosition) -> Int? {
        state.withLock { state in
            let entries = state.files.flatMap(\.entries)
            guard let first = entries.firstIndex(where: { $0.after == watermark }),
                let last = entries.firstIndex(where: { $0.through == target }), first <= last
            else { return nil }
            return last - first + 1
        }
    }

    /// Returns the kept flush that begins at a watermark; nil if there is none. Blocks.
    package func flush(after watermark: JournalPosition) throws -> Flush? {
        try state.withLock { state in
            for kept in state.files {
                guard let entry = kept.entries.first(where: { $0.after == watermark }) else { continue }
                return try kept.file.flush(entry, layouts: kept.file.layouts.map { try data.layout($0) })
            }
            return nil
        }
    }

    /// Keeps a flush and waits until it is on disk. Blocks.
    ///
    /// If it is the last one kept, it is not kept twice, and its time begins anew: PostgreSQL was away, and gets it
    /// now. If it does not continue the last one, it replaces all: they could not lead to it.
    package func keep(_ flush: Flush, now: UnixSeconds) throws {
        guard options.seconds > 0 else { return }
        try state.withLock { state in
            defer { measure(state) }
            if let place = state.files.lastIndex(where: { !$0.entries.isEmpty }),
                let last = state.files[place].entries.last
            {
                if last.after == flush.after, last.through == flush.through {
                    return state.files[place].entries[state.files[place].entries.count - 1].keptAt = now
                }
                if last.through != flush.after { try forget(&state) }
            }
            let place = try openFile(&state, for: flush, now: now)
            let kept = state.files[place]
            let record = try kept.file.record(flush, keptAt: now, offset: kept.bytes)
            // If anything fails from here on, nothing more is written to this file.
            state.files[place].isOpen = false
            let file = try File(kept.file.path, flags: O_WRONLY | O_APPEND, on: data.disk)
            try file.write(record)
            FaultPoint.reached("before_keep")
            try file.sync()
            FaultPoint.reached("after_keep")
            state.files[place].entries.append(
                .init(after: flush.after, through: flush.through, keptAt: now, offset: kept.bytes, size: record.count))
            state.files[place].bytes += record.count
            state.files[place].isOpen = true
        }
    }

    /// Restarts the time of a kept flush that PostgreSQL got only now.
    package func renew(_ flush: Flush, now: UnixSeconds) {
        state.withLock { state in
            for file in state.files.indices {
                for entry in state.files[file].entries.indices
                where state.files[file].entries[entry].through == flush.through {
                    state.files[file].entries[entry].keptAt = now
                }
            }
        }
    }

    /// Removes files whose flushes have all been kept long enough, and the oldest beyond the cap. Blocks.
    ///
    /// Call it only while PostgreSQL has everything that was kept.
    /// - Returns: the number of files that were removed before their time, because of the cap.
    package func prune(now: UnixSeconds) throws -> Int {
        try state.withLock { state in
            defer { measure(state) }
            var early = 0
            var bytes = state.files.reduce(0) { $0 + $1.bytes }
            while let oldest = state.files.first {
                let isOld = (oldest.entries.last?.keptAt ?? .min) <= now - options.seconds
                guard isOld || bytes > options.capBytes else { break }
                try oldest.file.destroy()
                state.files.removeFirst()
                bytes -= oldest.bytes
                if !isOld { early += 1 }
            }
            return early
        }
    }

    /// Removes all kept flushes. Blocks.
    package func forget() throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            defer { measure(state) }
            try forget(&state)
        }
    }

    private func forget(_ state: inout State) throws(JournalError) {
        while let oldest = state.files.first {
            try oldest.file.destroy()
            state.files.removeFirst()
        }
    }

    /// Returns the place of the file to write to: a new one if the last is full, old, closed, or of other layouts.
    private func openFile(_ state: inout State, for flush: Flush, now: UnixSeconds) throws -> Int {
        if let last = state.files.last, last.isOpen, last.bytes < Self.fileBytes, state.layouts == flush.layouts,
            let begun = last.entries.first?.keptAt, (begun...begun + max(options.seconds / 12, 1)).contains(now)
        {
            return state.files.count - 1
        }
        if let last = state.files.indices.last { state.files[last].isOpen = false }
        if state.layouts != flush.layouts {
            for layout in flush.layouts { try data.keep(layout) }
            state.layouts = flush.layouts
            state.ids = flush.layouts.map(\.id)
        }
        let number = state.nextNumber
        state.nextNumber += 1
        let file = try KeptFlushFile(number, layouts: state.ids, in: data)
        state.files.append(Kept(file: file, entries: [], bytes: file.headerSize, isOpen: true))
        return state.files.count - 1
    }

    private func measure(_ state: borrowing State) {
        let bytes = state.files.reduce(0) { $0 + $1.bytes }
        size.withLock { $0 = bytes }
    }
}
