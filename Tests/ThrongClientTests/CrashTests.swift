import Foundation
import Probe
import Testing
import ThrongClient
import ThrongWire

@Suite("A kill at any point loses at most what was not on disk, and doubles nothing", .serialized)
struct CrashTests {
    private static func directory() throws -> URL {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("throng-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }

    @Test("a process that is killed thirty times while it records and sends")
    func killed() async throws {
        let began = SystemClock().unixSeconds
        let place = try Self.directory()
        defer { try? FileManager.default.removeItem(at: place) }
        let received = place.appendingPathComponent("received").path
        let storage = place.appendingPathComponent("storage")
        var saved: Set<Int> = []
        var random = RandomSource.seeded(11)
        var round = 0
        // On a slow machine most are killed before they have saved anything: then more come, and each lives longer.
        while round < 30 || saved.count <= 30, round < 90 {
            let child = Process()
            child.executableURL = Bundle.main.bundleURL.appendingPathComponent("Probe")
            // Far apart, so that no number is given twice.
            child.arguments = ["client", "cook", storage.path, received, String(round * DoomedCook.most + 1)]
            let output = Pipe()
            child.standardOutput = output
            try child.run()
            let life = Int.random(in: 60...300, using: &random) * max(1, round - 28)
            try await Task.sleep(for: .milliseconds(life))
            kill(child.processIdentifier, SIGKILL)
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            child.waitUntilExit()
            // The last line may be cut.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                saved.insert(try #require(Int(line)))
            }
            round += 1
        }
        #expect(saved.count > 30)
        // A last start, whose requests all arrive.
        var options = ThrongOptions(bundledPlan: try CookPlan(CookPlan.unbounded).document)
        options.sendsByItself = false
        options.gap = 0
        let throng = try await Throng(
            plan: try #require(CookPlan.url), storage: DirectoryStorage(storage), transport: LetterBox(path: received),
            options: options)
        while await throng.flush().waiting > 0 {}
        let dropped = await throng.status.dropped
        await throng.close()
        // A batch without an answer is given up once its window is over, since it may have been counted.
        guard SystemClock().unixSeconds / 900 == began / 900 else { return try await killed() }
        #expect(dropped.isEmpty)
        // As the daemon does: a batch counts once.
        var batches: [String: Batch] = [:]
        for line in try Data(contentsOf: URL(fileURLWithPath: received)).split(separator: 0x0a) {
            let batch = try JSONDecoder().decode(Batch.self, from: line)
            #expect(batches[batch.batch] == nil || batches[batch.batch] == batch)
            batches[batch.batch] = batch
        }
        var counted: [Int: Int] = [:]
        for batch in batches.values {
            for event in batch.events {
                let fields = batch.context.merging(event.fields ?? [:]) { _, own in own }
                let number =
                    switch fields["amount"] {
                    case .number(let amount): Int((amount * 100).rounded())
                    case .integer(let amount): Int(amount) * 100
                    default: -1
                    }
                counted[number, default: 0] += event.count ?? 1
            }
        }
        #expect(saved.filter { counted[$0] == nil } == [], "lost although on disk")
        let doubled = counted.filter { $0.value > 1 }.keys.sorted()
        #expect(doubled.isEmpty, "doubled")
    }

    @Test("after a stop between any two writes nothing is doubled, and nothing that was saved is lost")
    func everyWrite() async throws {
        for stop in 1..<50 {
            let storage = MortalStorage(writes: stop)
            let world: World
            // Where the first documents can't be written, nothing starts.
            do { world = try await World(try CookPlan(CookPlan.unbounded), storage: storage) } catch { continue }
            var saved: Set<Int> = []
            for number in 1...5 where storage.isAlive {
                world.throng.record("purchase", ["amount": Double(1 << number) / 100])
                if await world.throng.save() { saved.insert(number) }
                world.line.set(number == 2 ? .answerLost : number == 3 ? .offline : number == 4 ? .twice : .fine)
                _ = await world.throng.flush()
            }
            let again = try await World(
                world.cook, storage: storage.saved, seed: 9, clock: world.clock, daemon: world.daemon)
            while await again.throng.flush().waiting > 0 {}
            // Each event is a bit of the sum, so a doubled one would show as another bit.
            let sum = Int(world.daemon.sums.values.reduce(0, +))
            #expect(world.daemon.cells.values.reduce(0, +) == sum.nonzeroBitCount)
            for number in saved { #expect(sum & 1 << number != 0, "\(number) is lost after \(stop) writes") }
        }
    }

    @Test("one directory is one process's")
    func lock() throws {
        let place = try Self.directory()
        defer { try? FileManager.default.removeItem(at: place) }
        let first = try DirectoryStorage(place)
        #expect(throws: ThrongError.self) { try DirectoryStorage(place) }
        try first.replace("a.json", with: Data("1".utf8))
        try first.replace("a.json", with: Data("23".utf8))
        #expect(try first.read("a.json") == Data("23".utf8))
        #expect(try first.read("b.json") == nil)
        try first.remove("a.json")
        try first.remove("a.json")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["lock"])
    }

    @Test("files are for the app's user alone, and a torn draft is no file")
    func files() throws {
        let place = try Self.directory()
        defer { try? FileManager.default.removeItem(at: place) }
        let storage = try DirectoryStorage(place)
        try storage.replace("memory.json", with: Data("old".utf8))
        try Data("torn".utf8).write(to: place.appendingPathComponent("memory.json.new"))
        #expect(try storage.read("memory.json") == Data("old".utf8))
        try storage.replace("memory.json", with: Data("new".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + "/memory.json")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let name = "../../escape"
        try storage.replace(name, with: Data("x".utf8))
        #expect(try storage.read(name) == Data("x".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 3)
    }
}
