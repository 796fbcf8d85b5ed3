internal import Foundation
internal import Synchronization
package import ThrongCounting
internal import ThrongFaults
internal import ThrongFiles
package import ThrongPlan

/// The flushes of the last while, so that a PostgreSQL that has lost some of them can have them again.
///
/// A flush is on disk here before PostgreSQL gets it, and so before the journal lets go of what it came from. Kept
/// flushes join: each begins at the watermark that the one before it left. `KeptFlushFile.swift` has the format.
package final class KeptFlushes: Sendable {
    /// How long flushes are kept.
    package struct Options: Sendable {
        /// 0 keeps none. Unit: seconds.
        package var seconds: Int64
        /// Beyond this the oldest go. Unit: bytes.
        package var capBytes: Int

        /// An hour, within 1 GiB.
        package init(seconds: Int64 = 3600, capBytes: Int = 1 << 30) {
            self.seconds = seconds
            self.capBytes = capBytes
        }
    }

    private struct Kept {
        let file: KeptFlushFile
        var entries: [KeptFlushFile.Entry]
        var bytes: Int
        /// Written to by this process, which has not closed it.
        var isOpen: Bool
    }

    /// Ascending; their entries join. A file that is being written to is the last.
    private struct State {
        var files: [Kept] = []
        var nextNumber = 0
        /// What the open file's layout numbers mean.
        var layouts: [MetricLayout] = []
        var ids: [LayoutID] = []
    }

    private let state: Mutex<State>
    private let size = Mutex(0)
    private let data: DataDirectory
    private let options: Options

    private static let fileBytes = 64 << 20

    /// Finds what earlier starts kept; what does not join, or whose key is gone, goes.
    package init(_ data: DataDirectory, options: Options = Options()) throws(JournalError) {
        self.data = data
        self.options = options
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
            // The last one may have been cut off while it was written to, which loses nothing.
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
        // What is found here counts as kept: see Journal.
        if let newest = found.files.last { try data.disk.secure(newest.file.path) }
        size.withLock { [bytes = found.files.reduce(0) { $0 + $1.bytes }] in $0 = bytes }
        state = Mutex(found)
    }

    /// Nil where nothing can be read of it any more; damage is said.
    private static func file(_ number: Int, in data: DataDirectory) throws(JournalError) -> KeptFlushFile? {
        do throws(JournalError) {
            return try KeptFlushFile(existing: number, in: data)
        } catch {
            guard case .damagedFile(let damage) = error else { throw error }
            if case .newer = damage.flaw { throw error }
            if damage.flaw == .directory { try data.setAside(damage) } else { data.tell(damage) }
            return nil
        }
    }

    /// Bytes on disk.
    package var bytes: Int { size.withLock { $0 } }

    /// Where the last kept flush leads to; nil where none is kept.
    package var last: JournalPosition? { state.withLock { $0.files.last?.entries.last?.through } }

    /// Where PostgreSQL is once it has everything that was kept from a watermark on; nil where nothing begins there.
    package func end(from watermark: JournalPosition) -> JournalPosition? {
        state.withLock { state in
            guard state.files.contains(where: { $0.entries.contains { $0.after == watermark } }) else { return nil }
            return state.files.last?.entries.last?.through
        }
    }

    /// How many kept flushes lead from one watermark to another; nil where they don't.
    package func steps(from watermark: JournalPosition, to target: JournalPosition) -> Int? {
        state.withLock { state in
            let entries = state.files.flatMap(\.entries)
            guard let first = entries.firstIndex(where: { $0.after == watermark }),
                let last = entries.firstIndex(where: { $0.through == target }), first <= last
            else { return nil }
            return last - first + 1
        }
    }

    /// The kept flush that begins at a watermark; nil where there is none. Blocks.
    package func flush(after watermark: JournalPosition) throws -> Flush? {
        try state.withLock { state in
            for kept in state.files {
                guard let entry = kept.entries.first(where: { $0.after == watermark }) else { continue }
                return try kept.file.flush(entry, layouts: kept.file.layouts.map { try data.layout($0) })
            }
            return nil
        }
    }

    /// Keeps a flush: returns once it is on disk. Blocks.
    ///
    /// One that was kept already is not kept twice, and its time begins anew: PostgreSQL was away, and gets it now. One that
    /// does not go on where the last one ended replaces them all: they could not lead to it.
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
            // Whatever fails from here on, nothing more is written to this file.
            state.files[place].isOpen = false
            let file = try File(kept.file.path, flags: O_WRONLY | O_APPEND, on: data.disk)
            try file.write(record)
            FaultPoint.reached("before_keep")
            try file.sync()
            FaultPoint.reached("after_keep")
            state.files[place].entries.append(
                .init(
                    after: flush.after, through: flush.through, keptAt: now, offset: kept.bytes, size: record.count))
            state.files[place].bytes += record.count
            state.files[place].isOpen = true
        }
    }

    /// Notes that PostgreSQL got a kept flush only now: its time begins anew.
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

    /// Lets go of files whose flushes have all been kept long enough, and of the oldest beyond the cap. Blocks.
    ///
    /// Only to be called while PostgreSQL has everything that was kept.
    /// - Returns: how many files went before their time, because of the cap.
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

    /// Lets go of everything. Blocks.
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

    /// The place of the file to write to: a new one where the last is full, old, closed, or of other layouts.
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
