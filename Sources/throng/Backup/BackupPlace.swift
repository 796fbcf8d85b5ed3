import Foundation
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

/// A data directory as commands about backups need it.
enum BackupPlace {
    /// Makes sure that there is a data directory that nobody else can change.
    static func check(_ place: Place) throws {
        try DataDirectory.checkTrust(in: place.dataPath)
        guard FileManager.default.fileExists(atPath: place.dataPath + "/daemon.id") else {
            throw CommandFailure(
                "\(place.dataPath) is no data directory. Name that of a `throng serve` with --data: it has the keys of backups."
            )
        }
    }

    /// The plans that a data directory's daemon counts by, or counted by last.
    static func plans(in dataPath: String) -> [Plan] {
        // The database has what plans promised. A plan that this version does not take holds up no backup and no
        // restore.
        (try? RunningPlans(dataPath: dataPath).sources().map(\.plan)) ?? []
    }

    /// Keeps other commands from making keys of backups or destroying them meanwhile.
    static func hold(_ keys: BackupKeys) throws -> BackupKeys.Hold {
        guard let hold = try keys.hold() else {
            throw CommandFailure(
                "Another command makes a backup of this data directory, or has keys of backups forgotten. Run this again when it "
                    + "is done. Nothing was done.")
        }
        return hold
    }

    static func checkRecovery(_ place: Place) throws {
        guard FileManager.default.fileExists(atPath: RecoveryKey.publicPath(in: place.dataPath)) else {
            throw CommandFailure(
                "There is no recovery key to export for. Run `throng backup keys --new-recovery-key`, and keep what it prints."
            )
        }
    }

    static func export(_ place: Place, to file: String, now: UnixSeconds) throws {
        let path = Place.absolute(file)
        guard let count = try KeyExport.write(place.dataPath, to: path, now: now) else {
            return try checkRecovery(place)
        }
        try BackupMarks(dataPath: place.dataPath).note(.exported, at: now)
        Terminal.data(path)
        Terminal.talk("\(Terminal.count(count, "key")) for the recovery key.")
    }

    static func say(_ watermarks: [String: UInt64]) {
        for (daemon, position) in watermarks.sorted(by: { $0.key < $1.key }) {
            Terminal.talk("Of daemon \(daemon) everything up to batch \(position).")
        }
    }

    /// "2.4 s".
    static func seconds(since start: ContinuousClock.Instant) -> String {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}
