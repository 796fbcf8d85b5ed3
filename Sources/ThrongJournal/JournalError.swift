internal import Foundation
package import ThrongCounting
package import ThrongFiles

/// What can go wrong with the journal.
package enum JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system refused a call on a file of the data directory.
    case system(call: String, file: String, code: Int32)
    /// Another process holds the data directory.
    case inUse(directory: String)
    /// Others than this process's user and root may change the data directory, or what lies above it.
    case untrusted(directory: String, found: Exposure)
    /// A segment is damaged before its end; what follows can't be trusted to be all.
    case damaged(segment: String, offset: Int, reason: Damage)
    /// Records are missing between two segments.
    case gap(expected: JournalPosition, found: JournalPosition, segment: String)
    /// Another process writes to this journal: it has made a segment that this one was about to make.
    case overtaken(segment: String)
    /// A small file of the data directory is damaged, or is not what it has to be.
    case damagedFile(FileDamage)
    /// A segment is whole, and no version up to this one writes such.
    case newerSegment(segment: String)
    /// A record would be larger than any that is read.
    case recordTooLarge(bytes: Int, limit: Int)
    /// A journal can't tell so many layouts apart.
    case tooManyLayouts(found: Int, limit: Int)
    /// A record's inside does not follow the format.
    case malformedRecord
    /// The key of a window whose batches are not in PostgreSQL is gone.
    case keyMissing(segment: String, position: JournalPosition)
    /// What was kept of open windows can't be used.
    case unusableCheckpoint(Checkpoint.Flaw)
    /// The window is over and its key was destroyed.
    case windowClosed
    /// A write or a sync failed; nothing more is acknowledged.
    case failed
    /// The disk is full; what was appended is written once there is space.
    case full

    /// How others may change a directory.
    package enum Exposure: Sendable, Hashable, CustomStringConvertible {
        /// It belongs to another user.
        case owner(UInt32)
        /// Its group or everybody may write into it, and it is not one such as /tmp, where all keep what is theirs.
        case mode(UInt32)
        /// It is a link that another user has put there.
        case link(UInt32)
        /// It is no directory.
        case file

        /// What was found.
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

    /// How a segment is damaged.
    package enum Damage: String, Sendable, Hashable {
        /// Its header's checksum does not match.
        case header
        /// A record's checksum does not match, or records are missing, and it was on disk once: a later record or the next
        /// segment says so.
        case record
        /// A record could not be decrypted with its window's key.
        case ciphertext
    }

    /// Whether a write found no space; what it wrote until then is known.
    package var isWantOfSpace: Bool {
        if case .system(_, _, let code) = self { !isFailedSync && (code == ENOSPC || code == EDQUOT) } else { false }
    }

    /// Whether a sync failed: nobody knows what is on disk, and asking again may bring a lie.
    package var isFailedSync: Bool {
        if case .system(let call, _, _) = self { call == "fdatasync" || call == "fsync" } else { false }
    }

    /// What was found and what to do.
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
            "a record of \(bytes) bytes can't be journalled; \(limit) are allowed. Lower THRONG_INTAKE_EVENTS_PER_BATCH."
        case .tooManyLayouts(let found, let limit):
            "the plans and the journal have \(found) layouts of metrics; \(limit) are allowed. Let the daemon flush and its "
                + "windows end before the plan changes again."
        case .malformedRecord:
            "a record of the journal does not follow its format, although its checksum matches."
        case .keyMissing(let segment, let position):
            "batch \(position.value) in \(segment) is not in PostgreSQL yet, and its window's key is gone: it can't "
                + "be counted. Restore the folder `windows` of the data directory."
        case .unusableCheckpoint(let flaw):
            "the checkpoint can't be used: \(flaw.rawValue). The whole journal is replayed instead."
        case .windowClosed:
            "the window is over, and its key was destroyed. The clock was probably set back."
        case .full:
            "the disk that holds the journal is full; throng goes on by itself once there is space."
        case .failed:
            "the journal failed earlier; nothing is acknowledged until throng is started again."
        }
    }
}
