// The windows whose keys were destroyed: `windows.closed`. Numbers are little-endian.
//
//     8       "THRONGC1"
//     4       purposes: p
//     p × ... the last window's number i64, the rotation in seconds i64, the app's name, the purpose's name: length u16, UTF-8
//     4       CRC-32C of everything before

internal import Synchronization
internal import ThrongCounting
internal import ThrongPlan

/// The last window of each purpose whose key was destroyed. It and those before it are never opened again: whoever was
/// counted in them is not known any more, and would be counted twice.
final class ClosedWindows: Sendable {
    /// A purpose with its rotation: windows of another length have other numbers.
    private struct Sequence: Hashable {
        let app: AppName
        let purpose: PurposeName
        let rotation: Int64

        init(_ window: WindowID) {
            app = window.app
            purpose = window.purpose
            rotation = window.rotation.seconds
        }
    }

    private let path: String
    private let last: Mutex<[Sequence: WindowNumber]>

    private static let magic = Array("THRONGC1".utf8)

    /// Reads what earlier starts closed.
    init(_ path: String) throws(JournalError) {
        self.path = path
        var found: [Sequence: WindowNumber] = [:]
        if File.exists(path) {
            let bytes = try File.contents(path)
            guard bytes.starts(with: Self.magic) else { throw .unknownFormat(file: path) }
            found = try bytes.reading { buffer throws(JournalError) in
                var reader = ByteReader(buffer)
                _ = try reader.nextBytes(8)
                var found: [Sequence: WindowNumber] = [:]
                for _ in 0..<(try reader.next(UInt32.self)) {
                    let number = WindowNumber(try reader.next())
                    let rotation = Rotation(seconds: try reader.next())
                    let (app, purpose) = (AppName(try reader.nextText()), PurposeName(try reader.nextText()))
                    found[Sequence(WindowID(app: app, purpose: purpose, rotation: rotation, number: number))] = number
                }
                let expected = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<reader.offset]))
                guard try reader.next(UInt32.self) == expected else { throw .unknownFormat(file: path) }
                return found
            }
        }
        last = Mutex(found)
    }

    func contains(_ window: WindowID) -> Bool {
        last.withLock { last in last[Sequence(window)].map { window.number <= $0 } ?? false }
    }

    /// Closes a window and those before it, on disk.
    func close(_ window: WindowID) throws(JournalError) {
        try last.withLock { last throws(JournalError) in
            var next = last
            next[Sequence(window)] = max(next[Sequence(window)] ?? window.number, window.number)
            guard next != last else { return }
            var writer = ByteWriter(bytes: Self.magic)
            writer.add(UInt32(next.count))
            for (sequence, number) in next {
                writer.add(number.value)
                writer.add(sequence.rotation)
                writer.add(sequence.app.text)
                writer.add(sequence.purpose.text)
            }
            writer.add(CRC32C.checksum(writer.bytes))
            try File.replace(path, with: writer.bytes)
            last = next
        }
    }
}
