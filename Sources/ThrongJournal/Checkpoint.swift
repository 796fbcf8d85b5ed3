internal import Crypto
internal import Foundation
internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// An earlier process's state of open windows, on disk: see `CheckpointIndex.swift` for the file.
package struct Checkpoint: Sendable {
    private let data: DataDirectory
    private let index: CheckpointIndex

    /// The position behind which a start replays the journal.
    package var from: JournalPosition { index.from }
    /// The position up to which everything was in PostgreSQL when the checkpoint was put in place, and has to be.
    package var through: JournalPosition { index.through }

    /// The reason why a checkpoint can't be used. The whole journal is replayed then.
    package enum Flaw: String, Sendable, Hashable {
        case otherVersion = "another version wrote it"
        case damaged = "it is damaged"
        case otherJournal = "it belongs to another journal"
        case journalIsOlder = "the journal ends before it"
        case databaseIsOlder = "PostgreSQL is older"
    }

    /// Reads the index of a data directory's checkpoint, and removes an unfinished one; nil if there is none.
    package init?(in data: DataDirectory) throws(JournalError) {
        let path = data.checkpointPath
        if data.disk.exists(CheckpointWriter.unfinished(path)) { try CheckpointWriter.discard(in: data) }
        guard data.disk.exists(path) else { return nil }
        self.data = data
        let size = try data.disk.size(of: path)
        let head = try data.disk.contents(path, from: 0, count: CheckpointIndex.headSize)
        guard size >= CheckpointIndex.headSize + CheckpointIndex.tailSize else { throw .unusableCheckpoint(.damaged) }
        let end = try data.disk.contents(path, from: size - CheckpointIndex.tailSize, count: 4)
        let length = end.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= min(size - CheckpointIndex.headSize - CheckpointIndex.tailSize, CheckpointIndex.largest) else {
            throw .unusableCheckpoint(.damaged)
        }
        let tail = try data.disk.contents(
            path, from: size - CheckpointIndex.tailSize - length, count: length + CheckpointIndex.tailSize)
        do throws(JournalError) { index = try CheckpointIndex(head: head, tail: tail) } catch .malformedRecord {
            throw .unusableCheckpoint(.damaged)
        }
        guard index.daemon == data.daemon else { throw .unusableCheckpoint(.otherJournal) }
    }

    package func windows(_ keys: KeyRing) -> [WindowID] {
        index.windows.compactMap { keys.key(named: $0.keyName)?.window }
    }

    package static func remove(from data: DataDirectory) throws(JournalError) {
        if data.disk.exists(CheckpointWriter.unfinished(data.checkpointPath)) { try CheckpointWriter.discard(in: data) }
        guard data.disk.exists(data.checkpointPath) else { return }
        try data.disk.remove(data.checkpointPath)
        try data.disk.syncDirectory(data.path)
    }

    /// True if it was made for this journal: it knows every segment up to its end.
    func fits(_ segments: [Segment]) -> Bool {
        guard let first = segments.first, JournalPosition(first.first.value - 1) <= from,
            let last = index.segments.last, segments.contains(where: { $0.name == last.name })
        else { return false }
        let known = Set(index.segments.map(\.name))
        return segments.allSatisfy { $0.first > through || known.contains($0.name) }
    }

    /// Returns the facts about a segment that is unchanged and has nothing behind ``from``: it need not be read.
    func whole(_ segment: Segment, at size: Int) -> KeptSegment? {
        // The last segment may have grown since.
        guard let known = index.segments.dropLast().first(where: { $0.name == segment.name }), known.last <= from,
            known.bytes == size
        else { return nil }
        return KeptSegment(path: segment.path, name: known.name, bytes: known.bytes, last: known.last, over: known.over)
    }

    /// Restores its content for windows whose keys exist, into a state without any replay, which is useless if this
    /// throws. Another thread reads and decrypts a little ahead.
    package func restore(into counting: inout Counting, keys: KeyRing, now: UnixSeconds) throws(JournalError) {
        let metrics = index.layouts.map { counting.space.ordinal(of: $0) }
        for window in index.closing {
            guard let known = keys.key(named: window.keyName) else { continue }
            counting.restore(closing: known.window, at: window.position)
        }
        var isWhole = true
        func take(_ part: Part) {
            isWhole =
                isWhole
                && part.bytes.withUnsafeBytes { counting.restore($0, of: part.window, metrics: metrics, now: now) }
        }
        if data.machine.hasThreads {
            let parts = ReadAhead<Part, Result<Void, JournalError>>(most: Self.mostAhead)
            let thread = Thread { [self] in
                do throws(JournalError) {
                    try read(keys: keys) { parts.add([$0]) }
                    parts.finish(.success(()))
                } catch { parts.finish(.failure(error)) }
            }
            thread.name = "throng-restore"
            thread.start()
            try parts.take(take).get()
        } else {
            try read(keys: keys, take)
        }
        guard isWhole else { throw .unusableCheckpoint(.damaged) }
    }

    private struct Part: Sendable {
        let window: WindowID
        let bytes: Data
    }

    /// Unit: parts, each of half a megabyte or so.
    private static let mostAhead = 16

    private func read(keys: KeyRing, _ body: (Part) -> Void) throws(JournalError) {
        let file = try File(data.checkpointPath, flags: O_RDONLY, on: data.disk)
        for window in index.windows {
            // A window without a key is over, and PostgreSQL has everything of it.
            guard let known = keys.key(named: window.keyName) else { continue }
            let key = CheckpointIndex.key(of: known.key, salt: index.salt)
            var offset = Int(clamping: window.offset)
            for number in window.firstPart..<window.firstPart &+ window.parts {
                let head = try data.disk.read(file.descriptor, named: file.path, from: offset, count: 4)
                let size = head.reversed().reduce(0) { $0 << 8 | Int($1) }
                guard head.count == 4, size >= 16, size <= Self.largestPart else { throw .unusableCheckpoint(.damaged) }
                let sealed = try data.disk.read(file.descriptor, named: file.path, from: offset + 4, count: size)
                guard let bytes = Self.opened(sealed, number: number, key: key) else {
                    throw .unusableCheckpoint(.damaged)
                }
                body(Part(window: known.window, bytes: bytes))
                offset += 4 + size
            }
        }
    }

    /// The largest size of a part: a section of a table with 2^32 members is smaller. Unit: bytes.
    private static let largestPart = 1 << 30

    private static func opened(_ sealed: [UInt8], number: UInt32, key: SymmetricKey) -> Data? {
        do {
            let box = try AES.GCM.SealedBox(
                nonce: try CheckpointIndex.nonce(number), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16))
            return try AES.GCM.open(box, using: key)
        } catch { return nil }
    }
}

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
        } catch { throw .failed }
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
