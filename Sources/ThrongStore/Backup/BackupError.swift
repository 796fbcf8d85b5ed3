package import ThrongJournal
package import ThrongSystem

/// The reason why a backup can't be made or used. Nothing is restored then.
package enum BackupError: Error, Sendable, Hashable, CustomStringConvertible {
    case system(call: String, file: String, code: String)
    case exists(file: String)
    /// A file that belongs into the backup is damaged.
    case lost(FileDamage)
    case notABackup(file: String)
    case cut(file: String, bytes: Int)
    case damaged(file: String, part: Part, byte: Int, found: Damage)
    case installationKeyMissing(file: String, key: BackupKey.ID)
    case keysTooOld(missing: Int, exported: String, made: String)
    case unknownFormat(file: String)
    case newerSchema(found: Int, known: Int)
    case notKeys(file: String)
    case wrongRecoveryKey(file: String)

    package enum Part: Sendable, Hashable, CustomStringConvertible {
        case head
        /// A chunk by its number, from 0, and the table or the file that it says it is of.
        case chunk(Int, of: String)
        case list

        package var description: String {
            switch self {
            case .head: "its head"
            case .chunk(let number, let of): "chunk \(number) (\(of))"
            case .list: "the list of what is in it"
            }
        }
    }

    package enum Damage: Sendable, Hashable, CustomStringConvertible {
        case changed
        case misplaced(Int)

        package var description: String {
            switch self {
            case .changed: "is not what was written there: it was changed, or is another backup's"
            case .misplaced(let number): "stands where chunk \(number) belongs"
            }
        }
    }

    package var description: String {
        switch self {
        case .system(let call, let file, let code): "\(call) failed on \(file): \(code)."
        case .lost(let damage): "\(damage) No backup was made."
        case .exists(let file): "\(file) is there already. Name another; a backup takes no other's place."
        case .notABackup(let file): "\(file) is no backup of throng's."
        case .cut(let file, let bytes):
            "\(file) is no whole backup: its \(bytes) bytes don't end as one does. It was cut, or never came to its end. "
                + "Nothing was restored; take another."
        case .damaged(let file, let part, let byte, let found):
            "\(file) is damaged: \(part) at byte \(byte) \(found). Nothing was restored; take another copy or another backup."
        case .installationKeyMissing(let file, let key):
            "\(file) was encrypted with key \(key), which is not among these keys: they are another installation's, or "
                + "older than its first backup. Name those of the data directory that it was made of."
        case .keysTooOld(let missing, let exported, let made):
            "\(missing) keys are missing that may have been made after these were exported: that was at \(exported), and "
                + "the backup at \(made). Take keys that were exported with the backup or later, or an older backup. Nothing "
                + "was restored."
        case .unknownFormat(let file):
            "\(file) was written by a version of throng that this one does not know. Update throng."
        case .newerSchema(let found, let known):
            "the backup is of schema \(found), this program knows \(known). Update throng; nothing was restored."
        case .notKeys(let file): "\(file) is not what `throng backup keys` wrote."
        case .wrongRecoveryKey(let file):
            "the recovery key does not open \(file): the keys were exported for another one, or the file was changed."
        }
    }
}
