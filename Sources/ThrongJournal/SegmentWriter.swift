internal import Foundation
internal import ThrongCounting
internal import ThrongFaults
internal import ThrongPlan

/// The segment under way, in the hands of the journal's thread: seals, writes, syncs, goes on to the next segment.
struct SegmentWriter: ~Copyable {
    private let directory: String
    private let disk: any Disk
    private var segment: Segment
    private var file: File
    /// Sealed and not written yet.
    private var frames = ByteWriter()
    /// How much of that is written: after a want of space the rest follows. Unit: bytes.
    private var written = 0
    /// With what is not written yet.
    private(set) var bytes: Int
    /// What is on disk for sure. Unit: bytes.
    private var synced: Int
    /// What tells the segment from all others.
    var name: Segment.Name { segment.name }
    private var last: JournalPosition
    /// Where the last mark ends.
    private var markedBytes = 0
    /// The end of the last window that has a record here.
    private var over = UnixSeconds.min

    /// Opens a segment that holds its header and nothing else.
    init(_ segment: Segment, in directory: String, on disk: any Disk) throws(JournalError) {
        self.directory = directory
        self.disk = disk
        self.segment = segment
        bytes = segment.headerSize
        synced = bytes
        last = JournalPosition(segment.first.value - 1)
        file = try File(segment.path, flags: O_WRONLY | O_APPEND, on: disk)
    }

    /// Seals what was counted as one record; ``sync()`` brings it to disk.
    ///
    /// - Parameters:
    ///   - run: consecutive, at least one.
    ///   - key: of the window that they are all of.
    mutating func add(_ run: [CountedRecord], key: WindowKey) throws {
        let before = frames.bytes.count
        try segment.add(run, key: key, synced: synced, to: &frames)
        bytes += frames.bytes.count - before
        for record in run.suffix(1) {
            over = max(over, record.window.over)
            last = record.position
        }
    }

    /// Returns once every record is on disk. Where a write finds no space, it can be called again and goes on.
    mutating func sync() throws(JournalError) {
        try write()
        FaultPoint.reached("before_sync")
        try file.sync()
        FaultPoint.reached("after_sync")
        synced = bytes
    }

    /// Says how much is on disk, where nothing has said so yet and no record that follows does. The next sync brings it there:
    /// until then a crash of the process leaves it, and a power loss may not. Where it finds no space, the next sync goes on.
    mutating func mark() throws(JournalError) {
        guard markedBytes != bytes, bytes > segment.headerSize else { return }
        let before = frames.bytes.count
        Segment.addMark(before: last.next, synced: synced, to: &frames)
        bytes += frames.bytes.count - before
        markedBytes = bytes
        try write()
    }

    private mutating func write() throws(JournalError) {
        try file.write(frames.bytes, from: &written)
        frames.bytes.removeAll(keepingCapacity: true)
        written = 0
    }

    /// Goes on in a new segment, and says what the old one holds. Where a write finds no space, it can be called again.
    mutating func rotate() throws(JournalError) -> KeptSegment {
        FaultPoint.reached("before_rotation")
        try sync()
        FaultPoint.reached("in_rotation")
        let closed = KeptSegment(path: segment.path, name: segment.name, bytes: bytes, last: last, over: over)
        let next = Segment(
            in: directory, generation: segment.generation + 1, nonce: segment.nonce, first: last.next,
            layouts: segment.layouts, before: bytes)
        try next.create(on: disk)
        segment = next
        file = try File(segment.path, flags: O_WRONLY | O_APPEND, on: disk)
        bytes = segment.headerSize
        synced = bytes
        markedBytes = 0
        over = .min
        FaultPoint.reached("after_rotation")
        return closed
    }
}
