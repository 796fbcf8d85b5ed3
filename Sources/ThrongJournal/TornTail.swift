// `journal/<segment>.journal.torn`: the bytes behind a segment's last valid record, as they were found at a start. Nothing
// reads them again; they go with their segment.

internal import Foundation
package import ThrongCounting

/// What lies behind the last valid record of a segment: a write that was torn before it was synced, and so never
/// acknowledged; or damage to the last records that were, which looks the same.
package struct TornTail: Sendable {
    /// The segment.
    package let segment: String
    /// Where the valid records end. Unit: bytes.
    package let offset: Int
    /// The last valid record before it ends here.
    package let last: JournalPosition
    /// Whether these are records of a process that wrote on after another had taken its place.
    package let isOvertaken: Bool
    /// What was found there.
    let bytes: [UInt8]
    private let disk: any Disk

    init(
        segment: String, offset: Int, last: JournalPosition, isOvertaken: Bool, bytes: [UInt8], disk: any Disk
    ) {
        self.segment = segment
        self.offset = offset
        self.last = last
        self.isOvertaken = isOvertaken
        self.bytes = bytes
        self.disk = disk
    }

    /// Unit: bytes.
    package var count: Int { bytes.count }

    /// Whether there are only zeroes: space that was made and never written to.
    package var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Where ``setAside()`` puts it.
    package var aside: String { Self.aside(of: segment) }

    static func aside(of segment: String) -> String { segment + ".torn" }

    /// Moves the bytes out of the segment into a file beside it; blank ones just go.
    package func setAside() throws(JournalError) {
        if !isBlank { try disk.replace(aside, with: bytes) }
        let file = try File(segment, flags: O_WRONLY, on: disk)
        try file.truncate(to: offset)
        try file.sync()
    }
}
