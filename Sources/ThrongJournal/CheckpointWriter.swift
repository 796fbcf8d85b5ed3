internal import Crypto
internal import Foundation
internal import Synchronization
package import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// Writes a checkpoint beside the current one, and replaces that once PostgreSQL has everything in it.
///
/// It syncs step by step, so that the journal's syncs don't wait for it. The next overwrites an abandoned one.
package struct CheckpointWriter: ~Copyable {
    private let data: DataDirectory
    private let keys: KeyRing
    private let file: File
    private let salt: [UInt8]
    private let from: JournalPosition
    private let closing: [(keyName: UInt64, position: JournalPosition)]
    private var windows: [CheckpointIndex.Window] = []
    private var current: (window: WindowID, key: SymmetricKey)?
    private var parts: UInt32 = 0
    private var unsynced = 0
    /// The size so far. Unit: bytes.
    package private(set) var bytes = 0

    /// The size written between two syncs. Unit: bytes.
    private static let syncedBytes = 4 << 20

    static func unfinished(_ path: String) -> String { path + ".new" }

    package init(_ data: DataDirectory, keys: KeyRing, walk: WindowWalk) throws(JournalError) {
        (self.data, self.keys, from) = (data, keys, walk.from)
        salt = [data.machine.random(), data.machine.random()].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        closing = walk.closing.compactMap { window, position in keys.name(ofKeyOf: window).map { ($0, position) } }
            .sorted { $0.keyName < $1.keyName }
        let head = CheckpointIndex.magic + salt
        file = try Self.begun(data, head)
        (bytes, unsynced) = (head.count, head.count)
    }

    private static func begun(_ data: DataDirectory, _ head: [UInt8]) throws(JournalError) -> File {
        let file = try File(unfinished(data.checkpointPath), flags: O_WRONLY | O_CREAT | O_TRUNC, on: data.disk)
        FaultPoint.reached("in_checkpoint")
        try file.write(head)
        return file
    }

    /// Seals and writes a part; an error if its window's key is gone.
    package mutating func add(_ part: WindowPart) throws(JournalError) {
        if current?.window != part.window {
            let key = try keys.existingKey(of: part.window)
            current = (part.window, CheckpointIndex.key(of: key, salt: salt))
            windows.append(.init(keyName: key.name, firstPart: parts, parts: 0, offset: UInt64(bytes)))
        }
        guard let key = current?.key, let place = windows.indices.last else { return }
        let sealed: AES.GCM.SealedBox
        do {
            sealed = try AES.GCM.seal(part.bytes, using: key, nonce: try CheckpointIndex.nonce(parts))
        } catch {
            throw .failed
        }
        var writer = ByteWriter()
        writer.bytes.reserveCapacity(sealed.ciphertext.count + 20)
        writer.add(UInt32(sealed.ciphertext.count + 16))
        writer.bytes.append(contentsOf: sealed.ciphertext)
        writer.bytes.append(contentsOf: sealed.tag)
        try write(writer.bytes)
        parts += 1
        windows[place].parts += 1
        FaultPoint.reached("in_checkpoint")
    }

    private mutating func write(_ more: [UInt8]) throws(JournalError) {
        try file.write(more)
        bytes += more.count
        unsynced += more.count
        guard unsynced >= Self.syncedBytes else { return }
        try file.sync()
        unsynced = 0
    }

    /// Completes the checkpoint, which then replaces the current one; PostgreSQL has all up to `through`. Blocks.
    package mutating func finish(through: JournalPosition, journal: Journal, space: CellSpace) throws(JournalError) {
        let index = CheckpointIndex(
            salt: salt, daemon: data.daemon, from: from, through: through, layouts: space.ids,
            segments: journal.knownSegments, windows: windows, closing: closing)
        try write(index.bytes)
        try file.sync()
        FaultPoint.reached("before_checkpoint")
        let path = data.checkpointPath
        try data.disk.rename(Self.unfinished(path), to: path)
        FaultPoint.reached("after_checkpoint")
        try data.disk.syncDirectory(data.path)
    }

    package static func discard(in data: DataDirectory) throws(JournalError) {
        try data.disk.remove(Self.unfinished(data.checkpointPath))
    }
}

extension Journal {
    /// The size of what was appended since the start, plus what was read at the start. Unit: bytes.
    package var totalBytes: Int { state.withLock { $0.totalBytes } }

    /// The least space that is left free on the disk for the journal. Unit: bytes.
    package var reserve: Int { 2 * options.queueBytes }

    var knownSegments: [CheckpointIndex.KnownSegment] {
        state.withLock { state in
            state.closed.map { .init(name: $0.name, last: $0.last, bytes: $0.bytes, over: $0.over) } + [
                .init(name: state.current, last: .end, bytes: 0, over: .min)
            ]
        }
    }
}

extension KeyRing {
    /// Returns the name of a window's key; nil if it has none.
    func name(ofKeyOf window: WindowID) -> UInt64? {
        do { return try existingKey(of: window).name } catch { return nil }
    }
}

/// The schedule of checkpoints: often enough that a start replays little, and seldom enough to spare the disk.
package struct CheckpointPace: Sendable {
    private let least: Int
    private var begunAt = 0
    private var rests = Duration.zero
    private var last = Duration.zero

    /// The most that checkpoints write in the long run. Unit: bytes a second.
    package static let bytesPerSecond = 16 << 20

    /// - Parameter least: see ``Journal/Options/checkpointBytes``.
    package init(least: Int) { self.least = least }

    /// True if a checkpoint is due; the total is the journal's so far. Unit: bytes.
    package func isDue(total: Int, now: Duration) -> Bool {
        least > 0 && total - begunAt >= least && now - last >= rests
    }

    /// Notes that a checkpoint of a size was written, or that none could be; total and time are those at its beginning. Unit: bytes.
    package mutating func note(total: Int, size: Int, now: Duration) {
        begunAt = total
        last = now
        rests = Duration.seconds(1) * (Double(size) / Double(Self.bytesPerSecond))
    }
}
