// The bytes behind a segment's last valid record, as they were found at a start: `journal/<segment>.journal.torn`.
// Nothing reads them again; they are removed with their segment.

internal import Foundation
package import ThrongIngest

/// The bytes behind the last valid record of a segment. They are a write that was torn before it was synced, and so
/// never acknowledged; or damage to the last acknowledged records, which looks the same.
package struct TornTail: Sendable {
    package let segment: String
    /// The end of the valid records. Unit: bytes.
    package let offset: Int
    /// The position of the last valid record before it.
    package let last: JournalPosition
    /// True if these are records of a process that wrote on after another had taken its place.
    package let isOvertaken: Bool
    let bytes: [UInt8]
    let disk: any Disk

    package var count: Int { bytes.count }

    /// True if there are only zeroes: space that was allocated and never written to.
    package var isBlank: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The path that ``setAside()`` uses.
    package var aside: String { Self.aside(of: segment) }

    static func aside(of segment: String) -> String { segment + ".torn" }

    /// Moves the bytes from the segment to a file beside it; blank ones are only cut off.
    package func setAside() throws(JournalError) {
        if !isBlank { try disk.replace(aside, with: bytes) }
        let file = try File(segment, flags: O_WRONLY, on: disk)
        try file.truncate(to: offset)
        try file.sync()
    }
}
