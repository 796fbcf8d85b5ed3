internal import Foundation
internal import ThrongCounting
internal import ThrongFaults

/// The segment under way, in the hands of the journal's thread: seals, writes, syncs, goes on to the next segment.
struct SegmentWriter: ~Copyable {
    private let directory: String
    private let disk: DiskSpace
    private let whileFull: () -> Void
    private var segment: Segment
    private var file: File
    /// Sealed and not written yet.
    private var frames = ByteWriter()
    /// With what is not written yet.
    private(set) var bytes: Int
    private var last: JournalPosition
    /// The end of the last window that has a record here. Unit: Unix seconds.
    private var over = Int64.min

    /// Opens a segment that holds its header and nothing else.
    ///
    /// - Parameter whileFull: called now and then while a write waits for space.
    init(
        _ segment: Segment, in directory: String, disk: DiskSpace, whileFull: @escaping () -> Void
    ) throws(JournalError) {
        self.directory = directory
        self.disk = disk
        self.whileFull = whileFull
        self.segment = segment
        bytes = segment.headerSize
        last = JournalPosition(segment.first.value - 1)
        file = try File(segment.path, flags: O_WRONLY | O_APPEND)
    }

    /// Seals what was counted as one record; ``sync()`` brings it to disk.
    ///
    /// - Parameters:
    ///   - run: consecutive, at least one.
    ///   - key: of the window that they are all of.
    mutating func add(_ run: [CountedRecord], key: WindowKey) throws {
        let before = frames.bytes.count
        try segment.add(run, key: key, to: &frames)
        bytes += frames.bytes.count - before
        for record in run.suffix(1) {
            over = max(over, record.window.over)
            last = record.position
        }
    }

    /// Returns once every record is on disk.
    mutating func sync() throws(JournalError) {
        var offset = 0
        try disk.retrying(
            { () throws(JournalError) in try file.write(frames.bytes, from: &offset) }, meanwhile: whileFull)
        FaultPoint.reached("before_sync")
        try file.sync()
        FaultPoint.reached("after_sync")
        frames.bytes.removeAll(keepingCapacity: true)
    }

    /// Goes on in a new segment, and says what the old one holds.
    mutating func rotate() throws(JournalError) -> KeptSegment {
        FaultPoint.reached("before_rotation")
        try sync()
        FaultPoint.reached("in_rotation")
        let closed = KeptSegment(path: segment.path, bytes: bytes, last: last, over: over)
        segment = Segment(
            in: directory, generation: segment.generation + 1, nonce: segment.nonce, first: last.next,
            layouts: segment.layouts, hasClosings: segment.hasClosings)
        let next = segment
        try disk.retrying({ () throws(JournalError) in try next.create() }, meanwhile: whileFull)
        file = try File(segment.path, flags: O_WRONLY | O_APPEND)
        bytes = segment.headerSize
        over = .min
        FaultPoint.reached("after_rotation")
        return closed
    }
}
