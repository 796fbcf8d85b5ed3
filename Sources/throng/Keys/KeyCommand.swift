import ArgumentParser
import Foundation
import ThrongReport
import ThrongSchedule
import ThrongSystem
import ThrongWire

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Makes and lists the keys that sign reports.",
        discussion: """
            Where there is a key, `throng serve` and `throng report` put a signed manifest beside each report's files. The \
            private key is in signing/key.pem of the data directory, or where --key or THRONG_REPORT_KEY says; the public \
            ones are in keys.json beside it, which partners should get by another way than the reports.

            EXAMPLE
              throng key new --data ./data
            """,
        subcommands: [KeyNewCommand.self, KeyListCommand.self])
}

struct KeyOption: ParsableArguments {
    @OptionGroup var data: DataOption

    @Option(help: ArgumentHelp("The private key's file, instead of signing/key.pem there.", valueName: "file"))
    var key: String?

    var folder: ReportKeyFolder {
        key.map { ReportKeyFolder(keyPath: $0) } ?? ReportKeyFolder(dataPath: data.path)
    }
}

struct KeyNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Makes a key that signs from now on; an earlier one stops.",
        discussion: """
            The earlier key's private part is deleted, its public part stays in keys.json with the times between which it \
            signed, so that what it signed can still be checked. A running daemon takes the new key for its next report. \
            Give partners the new keys.json. Prints the new key's id.

            EXAMPLE
              throng key new --data ./data
            """)

    @OptionGroup var option: KeyOption

    func run() async throws {
        let key = try option.folder.rotate(now: UnixClock.system.now)
        Terminal.data(key.id.hex)
        Terminal.talk("The private key is in \(option.folder.keyPath); give partners \(option.folder.listPath).")
    }
}

struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the keys that sign and have signed, the present one last.",
        discussion: "EXAMPLE\n  throng key list --pem --data ./data")

    @OptionGroup var option: KeyOption

    @Flag(help: "Prints keys.json.")
    var json = false

    @Flag(help: "Prints the public part of one key as PEM, for openssl and for `throng verify`.")
    var pem = false

    @Argument(help: "With --pem: the key's id (default: the one that signs now).")
    var id: String?

    func validate() throws {
        guard id == nil || pem else { throw ValidationError("A key's id goes with --pem.") }
    }

    func run() async throws {
        let list = try option.folder.list()
        if pem {
            guard let entry = id.map({ id in list.keys.first { $0.key.id.hex == id } }) ?? list.current else {
                throw CommandFailure(
                    id.map { "\(option.folder.listPath) has no key \($0); `throng key list` lists them." }
                        ?? "There is no key. `throng key new` makes one.")
            }
            return Terminal.data(String(entry.key.pem.dropLast()))
        }
        if json { return Terminal.data(String(list.json.dropLast())) }
        for entry in list.keys {
            let from = entry.from.map(Terminal.instant) ?? ""
            let until = entry.until.map { "until " + Terminal.instant($0) } ?? "signs now"
            Terminal.data("\(entry.key.id)  from \(from)  \(until)")
        }
        if list.keys.isEmpty { Terminal.talk("There is no key. `throng key new` makes one.") }
    }
}
