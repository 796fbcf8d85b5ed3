import ArgumentParser
import Foundation
import ThrongIngest
import ThrongJournal
import ThrongLoad

/// Writes a journal as a daemon would have, into an empty data directory.
struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Makes a data directory with a journal of that many events.")

    @OptionGroup var workbench: Workbench

    @Option(help: "Events in the journal.")
    var amount = 10_000_000

    @Option(help: "Events of a batch; with --varied, of the largest.")
    var events = 100

    @Flag(help: "Batches of 1 to as many events as --events says, in turn.")
    var varied = false

    @Argument(help: "The data directory.")
    var path: String

    func run() throws {
        let world = try workbench.world()
        let sizes = varied ? Array(1...events) : [events]
        let prepared = try sizes.map { try world.bodies(events: $0, count: 1000) }
        let (_, keys, journal) = try world.journal(in: path)
        var counting = world.counting()
        var written = 0
        var batches = UInt64(0)
        while written < amount {
            let size = Int(batches % UInt64(sizes.count))
            let incoming = try world.read(prepared[size].body(batches, run: 1))
            let key = try keys.key(of: incoming.bucketed.window)
            let identifier = incoming.identifier.keyed(with: key)
            try journal.append(try world.count(incoming.bucketed, identifier: identifier, in: &counting), key: key)
            batches += 1
            written += sizes[size]
            // As a daemon's flushes do, so that pending deltas stay few.
            if batches % 50_000 == 0, let flush = counting.freeze() { counting.applied(flush, closed: []) }
        }
        journal.stop()
        print("{\"batches\":\(batches),\"bytes\":\(journal.bytes),\"events\":\(written)}")
    }
}
