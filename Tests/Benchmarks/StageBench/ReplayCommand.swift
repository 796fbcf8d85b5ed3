import ArgumentParser
import CAllocationCount
import Foundation
import ThrongIngest
import ThrongJournal

/// Replays a data directory's journal and counts it again, as a start does.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Replays the journal of a data directory that no daemon uses.")

    @OptionGroup var workbench: Workbench

    @Flag(help: "As a start does that can't ask PostgreSQL for its watermark.")
    var away = false

    @Flag(help: "From its checkpoint, where there is one.")
    var checkpoint = false

    @Argument(help: "The data directory.")
    var path: String

    func run() throws {
        let world = try workbench.world()
        let data = try DataDirectory(path: path)
        let before = resident_bytes()
        let clock = ContinuousClock()
        var batches = 0
        var pairs = 0
        var restoring = Duration.zero
        let began = clock.now
        let took = try clock.measure {
            let keys = try KeyRing(data)
            let reader = try JournalReader(data, keys: keys)
            let found = checkpoint ? try Checkpoint(in: data).flatMap { reader.fits($0) ? $0 : nil } : nil
            let watermark: JournalPosition? = away ? nil : found?.through ?? .start
            var counting = Counting(space: world.space, position: reader.base, watermark: watermark)
            let now = world.now
            try found?.restore(into: &counting, keys: keys, now: now)
            restoring = clock.now - began
            let from = found?.from ?? .start
            let replayed = try reader.replay(space: world.space, flushed: watermark, after: found) { record in
                guard record.position > from else { return }
                counting.replay(record, now: now)
                batches += 1
            }
            counting.reach(replayed.last)
            pairs = counting.openPairs
        }
        let line: [String: Any] = [
            "seconds": took / .seconds(1), "restoring": restoring / .seconds(1), "batches": batches, "pairs": pairs,
            "peakBytes": peak_resident_bytes() - before,
        ]
        print(String(decoding: try JSONSerialization.data(withJSONObject: line, options: .sortedKeys), as: UTF8.self))
    }
}
