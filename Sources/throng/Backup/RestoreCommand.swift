import ArgumentParser
import Foundation
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restores a backup.", usage: "throng restore <file> [<options>]",
        discussion: """
            Everything is verified before anything is written, and the database is filled in one transaction. What can't be \
            read any more, because its key went with the same in the house, is left out and listed; then it ends with 2.

            With --keys and --recovery-key the machine is lost, and with its journal what came after the backup. With \
            --database-only the next start flushes again what the backup lacks, as far as journal and kept flushes reach back.

            EXAMPLES
              throng restore monday.backup --data ./new --keys keys.export --recovery-key key.txt
              throng restore monday.backup --data ./data --database-only
              throng restore monday.backup --data ./data --check
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "file")) var file: String
    @OptionGroup var place: Place
    @OptionGroup var exported: ExportedKeys
    @Flag(help: "The data directory has survived: only its database is restored.") var databaseOnly = false
    @Flag(help: "Makes sure that the backup is whole, and restores nothing.") var check = false

    func validate() throws {
        guard !check || !databaseOnly else {
            throw ValidationError("--check restores nothing: leave --database-only out.")
        }
    }

    func run() async throws {
        if check { return try sayWhetherWhole() }
        let started = ContinuousClock.now
        let restoration = databaseOnly ? try await forJournal() : try await anew()
        let list = restoration.backup.list
        Terminal.talk(
            "Restored \(Terminal.count(restoration.rows, "row")) as of \(Terminal.instant(list.instant)), in "
                + "\(BackupPlace.seconds(since: started)).")
        if Self.say(restoration.missing) { throw ExitCode(2) }
    }

    private func sayWhetherWhole() throws {
        let found = try exported.read(orOf: place.dataPath)
        let restoration = try Restoration(BackupReader(Place.absolute(file), keys: found.keys), exported: found.made)
        let list = restoration.backup.list
        Terminal.talk(
            "Whole: as of \(Terminal.instant(list.instant)), schema \(list.schema). "
                + "\(Terminal.count(restoration.rows, "row")) can be read.")
        BackupPlace.say(list.watermarks)
        if Self.say(restoration.missing) { throw ExitCode(2) }
    }

    /// Says what can't be read; whether there is anything.
    static func say(_ missing: [Restoration.Missing]) -> Bool {
        guard !missing.isEmpty else { return false }
        Terminal.talk("What went by its age, or with its app, can't be read any more:")
        Terminal.data(
            Terminal.table(
                missing.map { part in
                    ("\(part.name), \(part.term)", part.rows == 0 ? "1 file" : Terminal.count(part.rows, "row"))
                }))
        return true
    }

    /// Restores into a data directory that is made anew: it gets its name when all of it is there.
    private func anew() async throws -> Restoration {
        let path = place.dataPath
        let isThere = FileManager.default.fileExists(atPath: path)
        let names = isThere ? try FileManager.default.contentsOfDirectory(atPath: path) : []
        guard names.isEmpty else {
            throw CommandFailure(
                "\(path) is not empty. Name a new data directory; or, where the journal in it has survived and its database "
                    + "has not, --database-only.")
        }
        guard let found = try exported.read() else {
            throw CommandFailure(
                "A new data directory has no keys. Name what `throng backup keys` exported with --keys, and the recovery key "
                    + "with --recovery-key.")
        }
        let restoration = try Restoration(BackupReader(Place.absolute(file), keys: found.keys), exported: found.made)
        let staging = path + ".restoring"
        try await clear(staging)
        let data = try DataDirectory(path: staging)
        defer { data.unlock() }
        for file in try restoration.files() { try HouseFiles(dataPath: staging).write(file) }
        // Nobody should be able to read in backups of before what is destroyed here from now on.
        try BackupKeys(dataPath: staging).keep(found.keys)
        let plans = BackupPlace.plans(in: staging)
        try await fill(restoration, clusterAt: staging + "/postgres", hasJournal: false, plans)
        FaultPoint.reached("before_directory_named")
        guard rename(staging, path) == 0 else {
            throw CommandFailure("rename failed on \(path): \(String(cString: strerror(errno))).")
        }
        Terminal.data(path)
        Terminal.talk(
            "Without its journal: what was acknowledged after the backup is lost, and devices of windows that were open are "
                + "counted as others. What is counted:")
        BackupPlace.say(restoration.backup.list.watermarks)
        return restoration
    }

    private func forJournal() async throws -> Restoration {
        try BackupPlace.check(place)
        let data = try held(place.dataPath)
        defer { data.unlock() }
        let found = try exported.read(orOf: place.dataPath)
        let restoration = try Restoration(BackupReader(Place.absolute(file), keys: found.keys), exported: found.made)
        let (cluster, staging) = (place.dataPath + "/postgres", place.dataPath + "/postgres.restoring")
        if place.database == nil {
            guard !FileManager.default.fileExists(atPath: cluster) else {
                throw CommandFailure(
                    "\(cluster) is there. Move it away where it is lost, or name an empty PostgreSQL with --database. Nothing "
                        + "was restored.")
            }
            try await PrivateCluster.quiet(in: staging).remove()
        }
        let plans = BackupPlace.plans(in: place.dataPath)
        try await fill(restoration, clusterAt: staging, hasJournal: true, plans)
        FaultPoint.reached("before_directory_named")
        if place.database == nil {
            guard rename(staging, cluster) == 0 else {
                throw CommandFailure("rename failed on \(cluster): \(String(cString: strerror(errno))).")
            }
        }
        Terminal.data(place.dataPath)
        sayJournal(data, restoration)
        return restoration
    }

    private func clear(_ staging: String) async throws {
        guard FileManager.default.fileExists(atPath: staging) else { return }
        let left = try held(staging)
        defer { left.unlock() }
        try await PrivateCluster.quiet(in: staging + "/postgres").remove()
        try FileManager.default.removeItem(atPath: staging)
    }

    /// A data directory that no daemon works in, and no other restore.
    private func held(_ path: String) throws -> DataDirectory {
        do { return try DataDirectory(path: path) } catch JournalError.inUse(_) {
            throw CommandFailure(
                "Another process works in \(path). Stop the daemon, or wait for the other restore. Nothing was restored."
            )
        }
    }

    /// Fills the operator's database, or a private one that is made.
    private func fill(
        _ restoration: Restoration, clusterAt directory: String, hasJournal: Bool, _ plans: [Plan]
    ) async throws {
        if let database = place.database {
            let settings = ConnectionSettings(connectionString: database)
            guard try await restoration.fill(settings, hasJournal: hasJournal, plans: plans) else {
                throw CommandFailure("The database is not empty. Name an empty one; nothing was restored.")
            }
            return
        }
        let isFilled = try await PrivateCluster.quiet(in: directory).lend { settings in
            try await restoration.fill(settings, hasJournal: hasJournal, plans: plans)
        }
        guard isFilled else { throw CommandFailure("\(directory) is not empty. Nothing was restored.") }
    }

    /// Says how far the journal brings the database when the daemon starts.
    private func sayJournal(_ data: DataDirectory, _ restoration: Restoration) {
        let watermark = JournalPosition(restoration.backup.list.watermarks["\(DaemonID(data.daemon))"] ?? 0)
        do {
            let kept = try KeptFlushes(data).end(from: watermark) ?? watermark
            let end = max(try data.journalEnd(watermark: kept), kept)
            Terminal.talk(
                end == watermark
                    ? "With its journal: the backup has everything that was acknowledged, up to batch \(watermark.value)."
                    : "With its journal: the backup is up to batch \(watermark.value), and the next start flushes again "
                        + "what came after it, up to batch \(end.value): everything that was acknowledged.")
        } catch {
            Terminal.talk(
                "The journal does not reach back to batch \(watermark.value), up to which the backup is; the next start will "
                    + "refuse. Restore a newer backup, or move `journal`, `flushed` and `daemon.id` away and accept the loss. "
                    + "\(error)")
        }
    }
}
