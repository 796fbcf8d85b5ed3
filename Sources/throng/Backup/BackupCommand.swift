import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Makes a backup, which forgets when the house does.",
        discussion: """
            It runs beside `throng serve`, and has everything as it is at one moment: the database, and what a new data \
            directory needs. \
            What the house takes together, on one day or with one table, is encrypted with one key of `backup.keys` in the \
            data directory. The daemon's round of retention destroys that key when it takes the same in the house: from then \
            on nobody can read it in any backup, unless a copy of the keys is left.

            It ends with 2 where rows are not in it because they should have been gone by now.

            EXAMPLE
              throng backup --data ./data --to monday.backup
            """, subcommands: [BackupMakeCommand.self, BackupKeysCommand.self],
        defaultSubcommand: BackupMakeCommand.self)
}

struct BackupMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Makes a backup; what `throng backup` does without another word.",
        discussion: """
            With --database, log in as the owner of the schema. The journal and the keys of windows are never in a backup: no \
            copy may outlive them.

            EXAMPLE
              throng backup make --data ./data --to monday.backup --keys-to keys.export
            """)

    @OptionGroup var place: Place
    @Option(help: ArgumentHelp("The file to write; there may be none of that name.", valueName: "file")) var to: String

    @Option(help: ArgumentHelp("Exports the keys, too, as `throng backup keys` does.", valueName: "file"))
    var keysTo: String?

    func run() async throws {
        try BackupPlace.check(place)
        if keysTo != nil { try BackupPlace.checkRecovery(place) }
        do { try await make() } catch let error where !(error is ExitCode) {
            // The note is for the daemon, which tells whoever does not read what this prints.
            do throws(JournalError) {
                try BackupMarks(dataPath: place.dataPath).note(.failed, at: UnixClock.system.now)
            } catch let unsaid { Terminal.talk("The daemon does not learn of it: \(unsaid)") }
            throw error
        }
    }

    private func make() async throws {
        let started = ContinuousClock.now
        let plans = BackupPlace.plans(in: place.dataPath)
        let files = try HouseFiles(dataPath: place.dataPath).read()
        let now = UnixClock.system.now
        let keys = BackupKeys(dataPath: place.dataPath)
        let hold = try BackupPlace.hold(keys)
        defer { withExtendedLifetime(hold) {} }
        let path = Place.absolute(to)
        let list = try await DatabaseAccess.connect(place, Connection.patient) { connection in
            try await Migrator(connection).verify()
            return try await BackupStore(connection).snapshot(plans: plans, now: now) { snapshot in
                try BackupWriter(path, keys: keys, now: now).write(snapshot, files)
            }
        }
        try BackupMarks(dataPath: place.dataPath).note(.made, at: now)
        if let keysTo { try BackupPlace.export(place, to: keysTo, now: now) }
        let rows = list.chunks.reduce(0) { $0 + $1.rows }
        Terminal.data(path)
        Terminal.talk(
            "\(Terminal.count(rows, "row")) of \(Terminal.count(list.tables.count, "table")) and "
                + "\(Terminal.count(files.count, "file")), as of \(Terminal.instant(list.instant)), in "
                + "\(BackupPlace.seconds(since: started)).")
        BackupPlace.say(list.watermarks)
        guard list.leftOut.isEmpty else {
            Terminal.talk("Not in it, because it should have been gone by now. Is the clock right? Does a daemon run?")
            for part in list.leftOut {
                let name = list.groups[part.group].name.map { "\($0)" } ?? ""
                Terminal.talk("  \(part.table), \(name): \(Terminal.count(part.rows, "row"))")
            }
            throw ExitCode(2)
        }
    }
}

struct BackupKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Exports the keys of all backups for the recovery key, makes it, or destroys the keys.",
        usage: "throng backup keys --to <file> | --new-recovery-key | --forget [<options>]",
        discussion: """
            Without these, backups are worth nothing where the data directory is lost. Keep them in one place that keeps no \
            versions, and have every export take the former one's place: backups forget when the last copy of a key does.

            --new-recovery-key makes the key that opens exported keys, and prints its private part once. Keep that line away \
            from this machine and from backups, such as on paper. The data directory keeps the public part \
            (`backup.recovery`).

            --forget destroys the keys of all backups that were made so far: nobody can read them any more. It is for when a \
            plan takes numbers sooner than it promised before: backups go by what was promised when they were made. Make a new \
            backup at once, and export the keys anew in the place of the former export.

            EXAMPLES
              throng backup keys --new-recovery-key --data ./data
              throng backup keys --to keys.export --data ./data
            """)

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("The file to export to; a former export is overwritten.", valueName: "file"))
    var to: String?

    @Flag(help: "Makes the recovery key, and exports nothing.") var newRecoveryKey = false
    @Flag(help: "Replaces a recovery key, which alone opens what was exported for it.") var replace = false
    @Flag(help: "Destroys the keys of all backups that were made so far.") var forget = false
    @Flag(help: "With --forget: does not ask.") var yes = false

    func validate() throws {
        guard [to != nil, newRecoveryKey, forget].count(where: { $0 }) == 1 else {
            throw ValidationError("Name one of --to, --new-recovery-key and --forget.")
        }
        guard newRecoveryKey || !replace else { throw ValidationError("--replace goes with --new-recovery-key.") }
        guard forget || !yes else { throw ValidationError("--yes goes with --forget.") }
    }

    func run() async throws {
        try BackupPlace.check(place)
        if forget { return try await destroyKeys() }
        guard let to else { return try makeRecoveryKey() }
        try BackupPlace.checkRecovery(place)
        try BackupPlace.export(place, to: to, now: UnixClock.system.now)
    }

    private func makeRecoveryKey() throws {
        let key = RecoveryKey()
        do { try key.keep(in: place.dataPath, replacing: replace) } catch BackupError.exists(let file) {
            throw CommandFailure(
                "There is a recovery key already (\(file)). --replace makes another; then export the keys anew.")
        }
        Terminal.data(key.text)
        Terminal.talk("Keep this line. It is nowhere else, and without it exported keys can't be opened.")
    }

    private func destroyKeys() async throws {
        let keys = BackupKeys(dataPath: place.dataPath)
        let hold = try BackupPlace.hold(keys)
        defer { withExtendedLifetime(hold) {} }
        let count = try keys.all().count
        if !yes {
            Terminal.talk(
                "This destroys \(Terminal.count(count, "key")): no backup that was made so far can be restored. "
                    + "Type forget to go on: ", newline: false)
            guard readLine() == "forget" else { throw CommandFailure("That is not forget. Nothing was destroyed.") }
        }
        try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let deletions = DeletionStore(connection)
            let gone = try keys.destroy { _ in true }
            for (app, names) in Dictionary(grouping: gone.keys, by: \.app).sorted(by: { $0.key < $1.key }) {
                try await deletions.note(
                    backupKeys: names.reduce(0) { $0 + (gone[$1] ?? 0) }, app: app, subject: "everything",
                    term: "the operator had all backups forgotten")
            }
            try keys.forgetDestroyed()
        }
        Terminal.talk(
            "\(Terminal.count(count, "key")) destroyed. Make a new backup, and export the keys anew: what was exported before "
                + "still opens the old ones.")
    }
}

/// Keys that were exported, and what opens them.
struct ExportedKeys: ParsableArguments {
    @Option(help: ArgumentHelp("Keys that were exported (default: the data directory's).", valueName: "file"))
    var keys: String?

    @Option(help: ArgumentHelp("The file with the line that --new-recovery-key printed.", valueName: "file"))
    var recoveryKey: String?

    func validate() throws {
        guard (keys == nil) == (recoveryKey == nil) else {
            throw ValidationError("--keys and --recovery-key belong together.")
        }
    }

    struct Found {
        let keys: [BackupKey]
        /// Nil where they are those of a data directory.
        let made: UnixSeconds?
    }

    /// Reads the keys that are named; nil where none are.
    func read() throws -> Found? {
        guard let keys, let recoveryKey else { return nil }
        let recovery = try RecoveryKey(file: Place.absolute(recoveryKey))
        let export = try KeyExport.read(Place.absolute(keys), recovery)
        return Found(keys: export.keys, made: export.made)
    }

    /// Reads the keys that are named; where none are, those of a data directory.
    func read(orOf dataPath: String) throws -> Found {
        if let found = try read() { return found }
        return Found(keys: try BackupKeys(dataPath: dataPath).all(), made: nil)
    }
}

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
