internal import Foundation
package import ThrongIngest
package import ThrongSystem

package enum JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    case system(call: String, file: String, code: Int32)
    case inUse(directory: String)
    /// Users other than root and this process's may change the data directory, or a directory above it.
    case untrusted(directory: String, found: Exposure)
    /// A segment is damaged before its end; records that follow may be incomplete.
    case damaged(segment: String, offset: Int, reason: Damage)
    case gap(expected: JournalPosition, found: JournalPosition, segment: String)
    /// Another process writes to this journal: it has made the next segment, which this one was about to make.
    case overtaken(segment: String)
    /// A small file of the data directory is damaged, or not the one expected.
    case damagedFile(FileDamage)
    case newerSegment(segment: String)
    case recordTooLarge(bytes: Int, limit: Int)
    case tooManyLayouts(found: Int, limit: Int)
    case malformedRecord
    case keyMissing(segment: String, position: JournalPosition)
    case unusableCheckpoint(Checkpoint.Flaw)
    case windowClosed
    /// A write or a sync failed; nothing more is acknowledged.
    case failed
    case full

    /// The way in which others may change a directory.
    package enum Exposure: Sendable, Hashable, CustomStringConvertible {
        case owner(UInt32)
        /// Its group or everybody may write into it, and it is not one such as /tmp, where users can only remove their own files.
        case mode(UInt32)
        /// It is a link that another user has put there.
        case link(UInt32)
        case file

        package var description: String {
            switch self {
            case .owner(let user): "belongs to user \(user)"
            case .mode(let mode):
                "has mode \(String(mode, radix: 8)), so that others than its owner may change what is in it"
            case .link(let user): "is a link of user \(user)'s"
            case .file: "is no directory"
            }
        }
    }

    /// The kind of a segment's damage.
    package enum Damage: String, Sendable, Hashable {
        case header
        /// A record's checksum does not match, or records are missing that later ones say were on disk.
        case record
        case ciphertext
    }

    /// True if a write found no space; how much it wrote is known.
    package var isWantOfSpace: Bool {
        if case .system(_, _, let code) = self { !isFailedSync && (code == ENOSPC || code == EDQUOT) } else { false }
    }

    /// True if a sync failed: what is on disk is unknown, and a second sync may wrongly report success.
    package var isFailedSync: Bool {
        if case .system(let call, _, _) = self { call == "fdatasync" || call == "fsync" } else { false }
    }

    package var description: String {
        switch self {
        case .system(let call, let file, let code):
            "\(call) failed on \(file): \(String(cString: strerror(code))) (errno \(code)). "
                + "Check the disk and the directory's owner, then start again; what was acknowledged is on disk."
        case .inUse(let directory):
            "the data directory \(directory) is in use by another throng. Stop it, or name another with --data."
        case .untrusted(let directory, let found):
            "\(directory) \(found): whoever may change the data directory, or a folder above it, could have this process "
                + "read and write where they want. Run throng as the owner, take the right away (chmod go-w \(directory)), "
                + "or choose another with --data."
        case .damaged(let segment, let offset, let reason):
            "the journal's segment \(segment) is damaged at byte \(offset) (\(reason.rawValue)), and not only at its "
                + "end. Acknowledged batches may be lost: restore the file, or move it aside to go on without it."
        case .gap(let expected, let found, let segment) where found < expected:
            "the journal's segment \(segment) begins with batch \(found.value), which an earlier segment has too: two "
                + "processes wrote to this journal at once, because its file system does not keep locks. Move the folder "
                + "to one that does; of the two segments keep the one whose batches were counted."
        case .gap(let expected, let found, let segment):
            "the journal's segment \(segment) begins with batch \(found.value) where \(expected.value) was expected: "
                + "a segment is missing. Restore it, or move the later ones aside."
        case .overtaken(let segment):
            "another process has made the segment \(segment): it writes to this journal too, because its file system does "
                + "not keep locks. Nothing that this process acknowledged is lost. Let one of them go on, and move the "
                + "folder to a file system that keeps locks."
        case .damagedFile(let damage): damage.description
        case .newerSegment(let segment):
            "the journal's segment \(segment) was written by a newer version of throng. Start that version."
        case .recordTooLarge(let bytes, let limit):
            "a record of \(bytes) bytes can't be journalled; \(limit) are allowed. Send smaller batches."
        case .tooManyLayouts(let found, let limit):
            "the plans and the journal have \(found) layouts of metrics; \(limit) are allowed. Let the daemon flush and its "
                + "windows end before the plan changes again."
        case .malformedRecord: "a record of the journal does not follow its format, although its checksum matches."
        case .keyMissing(let segment, let position):
            "batch \(position.value) in \(segment) is not in PostgreSQL yet, and its window's key is gone: it can't "
                + "be counted. Restore the folder `windows` of the data directory."
        case .unusableCheckpoint(let flaw):
            "the checkpoint can't be used: \(flaw.rawValue). The whole journal is replayed instead."
        case .windowClosed: "the window is over, and its key was destroyed. The clock was probably set back."
        case .full: "the disk that holds the journal is full; throng goes on by itself once there is space."
        case .failed: "the journal failed earlier; nothing is acknowledged until throng is started again."
        }
    }
}
