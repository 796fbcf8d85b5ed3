import ArgumentParser
import CAllocationCount
import Foundation
import ThrongIngest
import ThrongLoad
import ThrongPlan
import ThrongWire

/// Fills one open window with identifiers and prints what of the process's memory that takes.
struct MemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory", abstract: "Memory per (identifier, cell) pair of the open window.")

    @OptionGroup var workbench: Workbench

    @Option(help: "Pairs in the window at the end.")
    var pairs = 10_000_000

    @Option(help: "Events of a batch.")
    var events = 1

    @Option(help: "Batches that each identifier sends.")
    var each = 1

    func run() throws {
        let world = try workbench.world()
        let prepared = try world.bodies(events: events, count: 2000)
        let templates = try prepared.bodies.map { try world.read($0).bucketed }
        var random = SystemRandomNumberGenerator()
        var counting = world.counting()
        let before = resident_bytes()
        var batches = 0
        var identifiers = 0
        while counting.openPairs < pairs {
            for _ in 0..<min(10_000, pairs / 10 + 1) {
                identifiers += 1
                let identifier = KeyedIdentifier(high: random.next(), low: random.next())
                for _ in 0..<each {
                    let template = templates[identifiers % templates.count]
                    batches += 1
                    let batch = BucketedBatch(
                        id: BatchID(high: 1, low: UInt64(batches)), window: template.window, events: template.events,
                        contributions: template.contributions, amounts: template.amounts, repeats: template.repeats,
                        marks: template.marks)
                    _ = try world.count(batch, identifier: identifier, in: &counting)
                }
            }
            if let flush = counting.freeze() { counting.applied(flush, closed: []) }
        }
        let steady = resident_bytes() - before
        let peak = peak_resident_bytes() - before
        let found = counting.openPairs
        let line: [String: Any] = [
            "pairs": found, "identifiers": identifiers, "batches": batches, "steadyBytes": steady, "peakBytes": peak,
            "steadyPerPair": Double(steady) / Double(found), "peakPerPair": Double(peak) / Double(found),
        ]
        print(String(decoding: try JSONSerialization.data(withJSONObject: line, options: .sortedKeys), as: UTF8.self))
    }
}
