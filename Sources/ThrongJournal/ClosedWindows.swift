// The windows that take no batch any more, `windows.closed`: a KeptFile whose content is this. Numbers are little-endian.
//
//     4       purposes: p
//     p × ... the last window's number i64, the rotation in seconds i64, the app's name, the purpose's name: length u16, UTF-8

internal import Foundation
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// The last window of each purpose that is over for good: its key was destroyed, or a replay found it to be over. It
/// and those before it are never opened again: their identifiers are forgotten, and would be counted twice.
final class ClosedWindows: Sendable {
    /// A purpose with its rotation: windows of another length have other numbers.
    private struct Sequence: Hashable {
        let app: AppName
        let purpose: PurposeName
        let rotation: Int64
        /// The takeover that the windows are of; 0 for none.
        let takenOver: Int64

        init(_ window: WindowID) {
            app = window.app
            purpose = window.purpose
            rotation = window.rotation.seconds
            takenOver = window.number.takenOver
        }
    }

    private let path: String
    private let daemon: UUID
    private let disk: any Disk
    private let last: Mutex<[Sequence: WindowNumber]>
    /// The state on disk. The lock is held while it is written, and queries need not wait for that.
    private let written: Mutex<[Sequence: WindowNumber]>

    init(_ data: DataDirectory) throws(JournalError) {
        (path, daemon, disk) = (data.closedWindowsPath, data.daemon, data.disk)
        var found: [Sequence: WindowNumber] = [:]
        if disk.exists(path) {
            let content = try disk.kept(at: path, as: .closedWindows, of: daemon)
            found = try disk.reading(content, of: path, as: .closedWindows) { reader throws(JournalError) in
                var found: [Sequence: WindowNumber] = [:]
                for _ in 0..<(try reader.next(UInt32.self)) {
                    let number = WindowNumber(try reader.next())
                    let rotation = Rotation(seconds: try reader.next())
                    let (app, purpose) = (AppName(try reader.nextText()), PurposeName(try reader.nextText()))
                    found[Sequence(WindowID(app: app, purpose: purpose, rotation: rotation, number: number))] = number
                }
                return found
            }
        }
        last = Mutex(found)
        written = Mutex(found)
    }

    func contains(_ window: WindowID) -> Bool {
        last.withLock { last in last[Sequence(window)].map { window.number <= $0 } ?? false }
    }

    /// Closes windows and those before them, at once in memory; returns once that is on disk. Blocks.
    func close(_ windows: [WindowID]) throws(JournalError) {
        let next = last.withLock { last in
            for window in windows {
                last[Sequence(window)] = max(last[Sequence(window)] ?? window.number, window.number)
            }
            return last
        }
        // Another thread may have written more meanwhile; none writes less.
        try write { written in written.merging(next) { max($0, $1) } }
    }

    /// Forgets the windows of an app, on disk. No window may be closed meanwhile. Blocks.
    func forget(_ app: AppName) throws(JournalError) {
        let next = last.withLock { last in
            last = last.filter { $0.key.app != app }
            return last
        }
        try write { _ in next }
    }

    /// - Parameter next: gets what is on disk, and returns what is to be there.
    private func write(_ next: ([Sequence: WindowNumber]) -> [Sequence: WindowNumber]) throws(JournalError) {
        try written.withLock { written throws(JournalError) in
            let next = next(written)
            guard next != written else { return }
            var writer = ByteWriter()
            writer.add(UInt32(next.count))
            for (sequence, number) in next {
                writer.add(number.value)
                writer.add(sequence.rotation)
                writer.add(sequence.app.text)
                writer.add(sequence.purpose.text)
            }
            try disk.keep(writer.bytes, at: path, as: .closedWindows, of: daemon)
            written = next
        }
    }
}
