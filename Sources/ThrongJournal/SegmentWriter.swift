internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongSystem

/// The current segment, used by the journal's thread: it seals, writes, syncs and starts the next segment.
struct SegmentWriter: ~Copyable {
    private let directory: String
    private let disk: any Disk
    private var segment: Segment
    private var file: File
    /// The sealed records that are not written yet.
    private var frames = ByteWriter()
    /// The part of these that is written: after a want of space the rest follows. Unit: bytes.
    private var written = 0
    /// The segment's size, with what is not written yet. Unit: bytes.
    private(set) var bytes: Int
    /// The size that is certainly on disk. Unit: bytes.
    private var synced: Int
    var name: Segment.Name { segment.name }
    private var last: JournalPosition
    /// The end of the last mark. Unit: bytes.
    private var markedBytes = 0
    /// The end of the last window that has a record here.
    private var over = UnixSeconds.min

    /// Opens a segment that holds its header and nothing else.
    init(_ segment: Segment, in directory: String, on disk: any Disk) throws(JournalError) {
        (self.directory, self.disk, self.segment) = (directory, disk, segment)
        bytes = segment.headerSize
        synced = bytes
        last = JournalPosition(segment.first.value - 1)
        file = try File(segment.path, flags: O_WRONLY | O_APPEND, on: disk)
    }

    /// Seals counted records, with consecutive positions, as one journal record; ``sync()`` brings it to disk.
    mutating func add(_ run: [CountedRecord], key: WindowKey) throws {
        let before = frames.bytes.count
        try segment.add(run, key: key, synced: synced, to: &frames)
        bytes += frames.bytes.count - before
        for record in run.suffix(1) {
            over = max(over, record.window.over)
            last = record.position
        }
    }

    /// Waits until every record is on disk. After a want of space it can be called again and continues.
    mutating func sync() throws(JournalError) {
        try write()
        FaultPoint.reached("before_sync")
        try file.sync()
        FaultPoint.reached("after_sync")
        synced = bytes
    }

    /// Writes a mark of how much is on disk, if no record says so. The next sync makes it durable: it survives a crash
    /// of the process before that, but maybe not a power loss. After a want of space the next sync continues.
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

    /// Starts a new segment, and returns the facts about the old one. After a want of space it can be called again.
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
