internal import Crypto
internal import Foundation
package import ThrongIngest
package import ThrongPlan

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
