import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

#if canImport(Glibc)
    import Glibc
#endif

@Suite("A refusal survives everything", .serialized)
struct RefusalTests {
    /// Records for both purposes, sends, and says what was counted.
    private func counted(_ world: World, _ throng: Throng) async -> Int {
        throng.record("recipe_opened", ["category": "cake"])
        throng.record("arrival", ["campaign": "spring"])
        return await throng.flush().counted
    }

    @Test(
        "damage to any document, however it looks, never makes a refusal undone, and is reported",
        arguments: [nil, "", "{", "[1]", "null", #"{"said":{},"others":"notDetermined","address":"","check":""}"#])
    func damaged(text: String?) async throws {
        for name in ["cook-memory.json", "cook-consent.json", "cook-plan.json"] {
            let storage = MemoryStorage()
            let notices = Mutex<[ThrongNotice]>([])
            let world = try await World(storage: storage)
            try await world.throng.setConsent(.denied, for: "product")
            try await world.throng.setConsent(.restricted, for: "adverts")
            await world.throng.close()
            if let text { storage.replace(name, with: Data(text.utf8)) } else { storage.remove(name) }
            let again = try await world.restarted { options in
                options.notice = { notice in notices.withLock { $0.append(notice) } }
            }
            #expect(await counted(world, again) == 0)
            #expect(await again.purposes.allSatisfy { !$0.isAllowed && [.denied, .restricted].contains($0.consent) })
            let isLost = name.contains("consent")
            #expect(notices.withLock { $0.contains(.consentLost) } == isLost)
            #expect(await again.status.isConsentKept != isLost)
            if text != nil { #expect(notices.withLock { $0.contains(.memoryLost) } == name.contains("memory")) }
            try await again.setConsent(.authorized, for: "product")
            try await again.setConsent(.authorized, for: "adverts")
            #expect(await counted(world, again) == 2)
        }
    }

    @Test("every change of a byte of what the person said is noticed, and counts as a refusal")
    func bits() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        try await world.throng.setConsent(.denied, for: "product")
        await world.throng.close()
        let document = try #require(storage.read("cook-consent.json"))
        for place in document.indices {
            for change: UInt8 in [0x01, 0x20] {
                var changed = document
                changed[place] ^= change
                storage.replace("cook-consent.json", with: changed)
                let again = try await world.restarted()
                #expect(await again.consent(for: "product") == .denied)
                await again.close()
            }
        }
    }

    @Test("what can't be read counts as refused until it is said anew")
    func unreadable() async throws {
        let storage = FrailStorage()
        let world = try await World(storage: storage)
        await world.throng.close()
        storage.state.withLock { $0.unreadable = ["cook-consent.json"] }
        let again = try await world.restarted()
        #expect(await counted(world, again) == 0)
        try await again.setConsent(.authorized, for: "adverts")
        #expect(await counted(world, again) == 1)
        #expect(await again.consent(for: "product") == .denied)
        await again.close()
        storage.state.withLock { $0.unreadable = [] }
        #expect(await (try world.restarted()).consent(for: "product") == .denied)
    }

    @Test("on a full disk a refusal holds and is kept, what waited is never sent, and agreeing does not hold")
    func full() async throws {
        let storage = FrailStorage()
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("arrival", ["campaign": "spring"])
        await world.throng.save()
        storage.state.withLock { $0.isFull = true }
        try await world.throng.setConsent(.denied, for: "product")
        try await world.throng.setConsent(.denied, for: "adverts")
        #expect(await world.throng.status.isConsentKept == false)
        await #expect(throws: ThrongError.self) { try await world.throng.setConsent(.authorized, for: "product") }
        #expect(await world.throng.consent(for: "product") == .denied)
        await world.throng.close()
        for isFull in [true, false] {
            storage.state.withLock { $0.isFull = isFull }
            let again = try await world.restarted()
            #expect(await again.purposes.map(\.consent) == [.denied, .denied])
            #expect(await counted(world, again) == 0)
            await again.close()
        }
        let again = try await world.restarted()
        try await again.setConsent(.authorized, for: "product")
        try await again.setConsent(.authorized, for: "adverts")
        #expect(await again.flush() == FlushResult())
        #expect(world.daemon.bodies.isEmpty)
    }

    @Test("a refusal that can neither be written nor kept by removing holds, and says that it will be forgotten")
    func readOnly() async throws {
        let storage = FrailStorage()
        let world = try await World(storage: storage)
        storage.state.withLock { $0.isReadOnly = true }
        await #expect(throws: ThrongError.self) { try await world.throng.setConsent(.denied, for: "product") }
        #expect(await world.throng.consent(for: "product") == .denied)
        storage.state.withLock { $0.isReadOnly = false }
        await world.throng.save()
        #expect(await (try world.restarted()).consent(for: "product") == .denied)
    }

    @Test("agreeing that fails only once it is written does not hold after the next start either")
    func failsLate() async throws {
        for isRefusal in [false, true] {
            let storage = FrailStorage()
            let world = try await World(storage: storage)
            if !isRefusal { try await world.throng.setConsent(.denied, for: "product") }
            storage.state.withLock { $0.failsLate = true }
            if isRefusal {
                try await world.throng.setConsent(.denied, for: "product")
            } else {
                await #expect(throws: ThrongError.self) {
                    try await world.throng.setConsent(.authorized, for: "product")
                }
            }
            #expect(await world.throng.consent(for: "product") == .denied)
            let again = try await World(storage: storage.inner, consents: false)
            #expect(await again.throng.consent(for: "product") == .denied)
        }
    }

    @Test("where nothing can be written at the first start, nobody is asked")
    func firstStart() async throws {
        let storage = FrailStorage()
        storage.state.withLock { $0.isFull = true }
        await #expect(throws: ThrongError.self) { try await World(storage: storage) }
    }

    @Test("a stop between any two writes of a refusal leaves it, or the time before it")
    func everyWrite() async throws {
        for stop in 1..<20 {
            let storage = MortalStorage(writes: stop)
            let world: World
            do { world = try await World(storage: storage) } catch { continue }
            let isAuthorized = storage.isAlive
            do { try await world.throng.setConsent(.denied, for: "product") } catch { continue }
            let again = try await World(world.cook, storage: storage.saved, consents: false, clock: world.clock)
            #expect(await again.throng.consent(for: "product").rawValue != "authorized" || !isAuthorized)
        }
    }

    @Test("on a disk that is really full", .enabled(if: getuid() == 0, "only root may mount a small disk"))
    func realDisk() async throws {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("throng-full-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        guard try run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place.path) else { return }
        defer { _ = try? run("/usr/bin/umount", "-l", place.path) }
        let folder = place.appendingPathComponent("throng")
        var world = try await World(storage: DirectoryStorage(folder))
        world.throng.record("recipe_opened", ["category": "cake"])
        await world.throng.save()
        let ballast = open(place.path + "/ballast", O_WRONLY | O_CREAT, 0o600)
        let page = [UInt8](repeating: 1, count: 512)
        while write(ballast, page, page.count) > 0 {}
        close(ballast)
        #expect(await world.throng.save())
        world.throng.record("recipe_opened", ["category": "roast"])
        #expect(await world.throng.save() == false, "the disk is not full")
        try await world.throng.setConsent(.denied, for: "product")
        await world.throng.close()
        for isFull in [true, false] {
            if !isFull { unlink(place.path + "/ballast") }
            world = try await World(storage: DirectoryStorage(folder), consents: false, daemon: world.daemon)
            #expect(await world.throng.consent(for: "product") == .denied)
            // Of the other purpose what was said may be known or lost: there may have been room for it again.
            _ = await counted(world, world.throng)
            await world.throng.close()
        }
        #expect(!world.daemon.batches.map(\.purpose).contains("product"))
    }

    private func run(_ program: String, _ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
