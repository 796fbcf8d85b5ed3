import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongIngest
import ThrongJournal
import ThrongLoad
import ThrongPlan
import ThrongWire

/// What every measurement starts from: a plan, devices, and the stages that they make.
struct Workbench: ParsableArguments {
    @Option(help: "The plan.")
    var plan: String

    @Option(help: "The sample's devices; without them values come from the plan's own vocabulary.")
    var devices: String?

    func world() throws -> World {
        guard let bytes = FileManager.default.contents(atPath: plan) else {
            throw ValidationError("\(plan): there is no such file.")
        }
        return try World(
            plan: Plan(bytes: bytes, file: plan), devices: devices.map { try SampleDevice.all(in: $0) } ?? [])
    }
}

/// A plan's stages in one process, with nothing around them.
struct World {
    let plan: Plan
    let devices: [SampleDevice]
    let space: CellSpace
    let intake: Intake
    /// Half past noon of today: what a batch takes depends on how many hours its events lie in, and is to be the same at any time.
    let now = UnixSeconds(Int64(Date().timeIntervalSince1970) / 86_400 * 86_400 + 45_000)

    init(plan: Plan, devices: [SampleDevice]) throws {
        self.plan = plan
        self.devices = devices
        space = CellSpace(layouts: try plan.metrics.map { try plan.layout(of: $0, rules: .system) })
        intake = try Intake(plans: [plan], space: space, rules: .system)
    }

    func bodies(events: Int, count: Int, spreads: Bool = false) throws -> PreparedBatches {
        try PreparedBatches(
            plan: plan, devices: devices,
            shape: PreparedBatches.Shape(events: events, bodies: count, spreadsEvents: spreads), now: now)
    }

    func read(_ body: [UInt8]) throws -> IncomingBatch {
        let outcome = try body.withUnsafeBufferPointer { try intake.read($0, signals: [], now: now) }
        guard case .batch(let incoming) = outcome else { throw ValidationError("The batch was opted out.") }
        return incoming
    }

    func count(
        _ incoming: BucketedBatch, identifier: KeyedIdentifier, in counting: inout Counting
    ) throws -> CountedBatch {
        let outcome = counting.count(incoming, identifier: identifier, now: now)
        guard case .counted(let batch) = outcome else { throw ValidationError("A batch was not counted: \(outcome).") }
        guard batch.answer.refused.isEmpty else {
            throw ValidationError("Events were refused: \(batch.answer.refused[0].reason).")
        }
        return batch
    }

    func counting() -> Counting { Counting(space: space, position: .start, watermark: .start) }

    /// A journal in an empty folder.
    func journal(in path: String) throws -> (data: DataDirectory, keys: KeyRing, journal: Journal) {
        let data = try DataDirectory(path: path)
        let keys = try KeyRing(data)
        let replayed = try JournalReader(data, keys: keys).replay(space: space, flushed: .start) { _ in }
        guard replayed.last == .start else { throw ValidationError("\(path) already has a journal.") }
        return (
            data, keys,
            try Journal(data, space: space, after: replayed, position: .start) { error in
                FileHandle.standardError.write(Data("the journal failed: \(error)\n".utf8))
            }
        )
    }
}

/// A folder that goes with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "throng-stages-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            FileHandle.standardError.write(Data("\(path) is left behind: \(error)\n".utf8))
        }
    }
}
