import Foundation
import Probe
import Synchronization
import Testing
import ThrongClient
import ThrongWire

/// A device that is known by one number; by none it can't say.
private struct NumberedDevice: DeviceBinding {
    let number: UInt8?

    func key(for app: String) throws -> Data? { number.map { Data(repeating: $0, count: 32) } }
}

/// A phone that was not unlocked yet.
private struct LockedDevice: DeviceBinding {
    func key(for app: String) throws -> Data? { throw ThrongError.storage("locked") }
}

@Suite("What was restored on another device is of no use there")
struct BindingTests {
    /// What became of a folder with an event that waits, after it was copied to a second device.
    private struct Twin {
        /// Identifiers of one purpose and window.
        var ids: (first: Set<String>, second: Set<String>) = ([], [])
        var consents: (product: Consent, adverts: Consent) = (.notDetermined, .notDetermined)
        var waiting = 0
        var sent = 0
        var notices: [ThrongNotice] = []
        var files: [String] = []
    }

    private static func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("throng-binding-\(UUID().uuidString)")
    }

    private static func ids(_ throng: Throng) async -> Set<String> {
        struct Named: Decodable { let id: String }
        return Set(
            await throng.sent.compactMap { try? JSONDecoder().decode(Named.self, from: Data($0.body.utf8)).id })
    }

    /// - Parameter change: what happens to the copy before it is started.
    private static func twin(
        from first: (any DeviceBinding)?, to second: (any DeviceBinding)?,
        change: (URL) throws -> Void = { _ in }
    ) async throws -> Twin {
        let (place, copy) = (folder(), folder())
        defer { for each in [place, copy] { try? FileManager.default.removeItem(at: each) } }
        var twin = Twin()
        let world = try await World(storage: DirectoryStorage(place, binding: first))
        try await world.throng.setConsent(.denied, for: "adverts")
        world.throng.record("recipe_opened", ["category": "cake"])
        _ = await world.throng.flush()
        twin.ids.first = await ids(world.throng)
        world.throng.record("recipe_opened", ["category": "roast"])
        await world.throng.close()
        try FileManager.default.copyItem(at: place, to: copy)
        try change(copy)
        let notices = Mutex<[ThrongNotice]>([])
        let other = try await World(
            world.cook, storage: DirectoryStorage(copy, binding: second), seed: 99, consents: false, clock: world.clock,
            daemon: world.daemon
        ) { options in
            options.notice = { notice in notices.withLock { $0.append(notice) } }
        }
        twin.consents = (await other.throng.consent(for: "product"), await other.throng.consent(for: "adverts"))
        (twin.waiting, twin.sent) = (await other.throng.status.waiting, await other.throng.sent.count)
        twin.notices = notices.withLock(\.self)
        try await other.throng.setConsent(.authorized, for: "product")
        other.throng.record("recipe_opened", ["category": "bread"])
        _ = await other.throng.flush()
        twin.ids.second = await ids(other.throng)
        await other.throng.close()
        twin.files = try FileManager.default.contentsOfDirectory(atPath: copy.path).sorted()
        return twin
    }

    @Test("bound to nothing, a copied folder is the same device: the danger that there is")
    func unbound() async throws {
        let twin = try await Self.twin(from: nil, to: nil)
        #expect(!twin.ids.first.isEmpty && twin.ids.first == twin.ids.second)
        #expect(twin.waiting == 1 && twin.sent == 1 && twin.notices.isEmpty)
    }

    @Test("on another device it is another one: other identifiers, no queue and no log of the first")
    func bound() async throws {
        let twin = try await Self.twin(from: NumberedDevice(number: 1), to: NumberedDevice(number: 2))
        #expect(!twin.ids.first.isEmpty && !twin.ids.second.isEmpty)
        #expect(twin.ids.first.isDisjoint(with: twin.ids.second))
        #expect(twin.waiting == 0 && twin.sent == 0)
        #expect(twin.notices == [.anotherDevice])
        #expect(twin.files.filter { $0.contains("-sent-") } == ["cook-sent-0.json"], "\(twin.files)")
    }

    @Test("on the same device a copied folder is the same device, after a restore too")
    func restored() async throws {
        let twin = try await Self.twin(from: NumberedDevice(number: 1), to: NumberedDevice(number: 1))
        #expect(!twin.ids.first.isEmpty && twin.ids.first == twin.ids.second)
        #expect(twin.consents == (.authorized, .denied))
        #expect(twin.waiting == 1 && twin.sent == 1 && twin.notices.isEmpty)
    }

    @Test("a device that can't say which one it is can't read a bound folder either")
    func unknown() async throws {
        let twin = try await Self.twin(from: NumberedDevice(number: 1), to: NumberedDevice(number: nil))
        #expect(!twin.ids.second.isEmpty && twin.ids.first.isDisjoint(with: twin.ids.second))
        #expect(twin.consents == (.notDetermined, .denied))
    }

    @Test("who refused has refused on the second device, and who agreed is asked again")
    func consents() async throws {
        let twin = try await Self.twin(from: NumberedDevice(number: 1), to: NumberedDevice(number: 2))
        #expect(twin.consents == (.notDetermined, .denied))
        // As a backup has it that honours the mark of the other files.
        let alone = try await Self.twin(from: NumberedDevice(number: 1), to: NumberedDevice(number: 2)) { copy in
            for name in try FileManager.default.contentsOfDirectory(atPath: copy.path) where !name.contains("consent") {
                try FileManager.default.removeItem(at: copy.appendingPathComponent(name))
            }
        }
        #expect(alone.consents == (.notDetermined, .denied))
        let unbound = try await Self.twin(from: nil, to: nil)
        #expect(unbound.consents == (.authorized, .denied))
    }

    @Test("nothing in a bound folder can be read without the device; unbound it can")
    func sealed() async throws {
        for binding in [NumberedDevice(number: 1), NumberedDevice(number: nil)] {
            let place = Self.folder()
            defer { try? FileManager.default.removeItem(at: place) }
            let world = try await World(storage: DirectoryStorage(place, binding: binding))
            world.throng.record("recipe_opened", ["category": "cake"])
            _ = await world.throng.flush()
            world.throng.record("recipe_opened", ["category": "cake"])
            await world.throng.close()
            let files = try FileManager.default.contentsOfDirectory(atPath: place.path)
                .filter { !$0.contains("plan") }
            let text = try files.map { name in
                String(decoding: try Data(contentsOf: place.appendingPathComponent(name)), as: UTF8.self)
            }.joined()
            #expect(files.contains("cook-sent-0.json") && files.contains("cook-memory.json"))
            for word in ["recipe_opened", "secret", "dessert"] {
                #expect(text.contains(word) == (binding.number == nil), "\(word)")
            }
        }
    }

    @Test("what an earlier version wrote stays this device's, and is bound from then on")
    func adopted() async throws {
        let (place, copy) = (Self.folder(), Self.folder())
        defer { for each in [place, copy] { try? FileManager.default.removeItem(at: each) } }
        let world = try await World(storage: DirectoryStorage(place, binding: nil))
        world.throng.record("recipe_opened", ["category": "cake"])
        await world.throng.close()
        let heir = try await World(
            world.cook, storage: DirectoryStorage(place, binding: NumberedDevice(number: 1)), consents: false,
            clock: world.clock, daemon: world.daemon)
        #expect(await heir.throng.consent(for: "product") == .authorized)
        #expect(await heir.throng.flush().counted == 1)
        await heir.throng.close()
        try FileManager.default.copyItem(at: place, to: copy)
        let other = try await World(
            world.cook, storage: DirectoryStorage(copy, binding: NumberedDevice(number: 2)), consents: false,
            clock: world.clock, daemon: world.daemon)
        #expect(await other.throng.consent(for: "product") == .notDetermined)
        #expect(await other.throng.sent.isEmpty)
        await other.throng.close()
    }

    @Test("where the device's key can't be had now nothing starts, and nothing is lost")
    func locked() async throws {
        let place = Self.folder()
        defer { try? FileManager.default.removeItem(at: place) }
        let world = try await World(storage: DirectoryStorage(place, binding: NumberedDevice(number: 1)))
        world.throng.record("recipe_opened", ["category": "cake"])
        await world.throng.close()
        await #expect(throws: ThrongError.storage("locked")) {
            try await World(world.cook, storage: DirectoryStorage(place, binding: LockedDevice()))
        }
        let again = try await World(
            world.cook, storage: DirectoryStorage(place, binding: NumberedDevice(number: 1)), clock: world.clock,
            daemon: world.daemon)
        #expect(await again.throng.flush().counted == 1)
        await again.throng.close()
    }

    @Test("a machine's key is the same for one app, another one for another app or machine, and none without a number")
    func machines() throws {
        let place = Self.folder()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        func machine(_ text: String) throws -> MachineBinding {
            let file = place.appendingPathComponent(UUID().uuidString)
            try Data(text.utf8).write(to: file)
            return MachineBinding(file: file.path)
        }
        let first = try machine("3d1219c7c4c5404aaa1f6d2a48adfda4\n")
        let key = try #require(first.key(for: "cook"))
        #expect(key.count == 32 && first.key(for: "cook") == key && first.key(for: "shop") != key)
        #expect(try machine("3D1219C7C4C5404AAA1F6D2A48ADFDA4").key(for: "cook") == key)
        #expect(try machine("4d1219c7c4c5404aaa1f6d2a48adfda4\n").key(for: "cook") != key)
        for text in ["", "uninitialized\n", String(repeating: "0", count: 32), "3d1219c7"] {
            #expect(try machine(text).key(for: "cook") == nil, "\(text)")
        }
        #expect(MachineBinding(file: place.path + "/none").key(for: "cook") == nil)
    }

    #if os(Linux)
        @Test("files but what the person said are marked as no backup's, where the file system has such a mark")
        func marked() throws {
            let place = Self.folder()
            defer { try? FileManager.default.removeItem(at: place) }
            let storage = try DirectoryStorage(place)
            let names = ["cook-memory.json", "cook-sent-0.json", "cook-consent.json"]
            for name in names { try storage.replace(name, with: Data("1".utf8)) }
            // What the system's own tool says; "d" is "no dump".
            let attributes = try names.map { name in
                let tool = Process()
                tool.executableURL = URL(fileURLWithPath: "/usr/bin/lsattr")
                tool.arguments = [place.appendingPathComponent(name).path]
                let output = Pipe()
                (tool.standardOutput, tool.standardError) = (output, Pipe())
                try tool.run()
                let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                tool.waitUntilExit()
                return String(text.prefix { $0 != " " })
            }
            // A file system without attributes can't be asked.
            guard attributes.allSatisfy({ !$0.isEmpty }) else { return }
            #expect(attributes.map { $0.contains("d") } == [true, true, false], "\(attributes)")
        }
    #endif
}
