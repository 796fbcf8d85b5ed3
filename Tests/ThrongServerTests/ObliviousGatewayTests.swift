import Foundation
import Logging
import NIOCore
import Synchronization
import Testing
import ThrongJournal
import ThrongSystem
import ThrongWire

@testable import ThrongServer

@Suite("Keys of the oblivious gateway come and go with their days")
struct ObliviousGatewayTests {
    /// A gateway on a data directory of its own, by a clock that a test sets.
    private final class House: Sendable {
        let path: String
        let data: DataDirectory
        let time: Mutex<UnixSeconds>

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "to-\(UUID())").path
            data = try DataDirectory(path: path)
            time = Mutex(UnixSeconds(1_794_830_400))
        }

        func gateway() throws -> ObliviousGateway {
            try ObliviousGateway(
                data, contentBytes: 1 << 20, clock: UnixClock { [self] in self.time.withLock { $0 } }, logger: .silent)
        }

        func pass(days: Int64) { time.withLock { $0 += days * 86_400 } }

        /// The names of the files.
        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path + "/oblivious").sorted() }
        }

        /// A file's bytes.
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try #require(FileManager.default.contents(atPath: path + "/oblivious/" + name)))
        }

        deinit {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record(error)
            }
        }
    }

    /// Requests that were sealed for each key that is published now.
    private static func sealed(for gateway: ObliviousGateway) throws -> [ByteBuffer] {
        try KeyConfiguration.list(gateway.list.configuration).map {
            ByteBuffer(bytes: try SealedRequest([1, 2, 3], for: $0).bytes)
        }
    }

    @Test("a key is published for its day, opens until the end of the next one, and then there is nothing left of it")
    func days() throws {
        let house = try House()
        let gateway = try house.gateway()
        let first = try Self.sealed(for: gateway)
        #expect(first.count == 2)
        let file = try #require(try house.files.first)
        let attributes = try FileManager.default.attributesOfItem(atPath: house.path + "/oblivious/" + file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let published = gateway.list.configuration
        for each in first { #expect(try gateway.open(each).message == [1, 2, 3]) }
        gateway.turn()
        #expect(gateway.list.configuration == published)

        house.pass(days: 1)
        gateway.turn()
        #expect(gateway.list.configuration != published)
        #expect(try house.files.count == 2)
        let second = try Self.sealed(for: gateway)
        for each in first + second { #expect(try gateway.open(each).message == [1, 2, 3]) }

        house.pass(days: 1)
        gateway.turn()
        #expect(try house.files.count == 2 && !house.files.contains(file))
        for each in first { #expect(throws: ObliviousError.self) { try gateway.open(each) } }
        for each in second { #expect(try gateway.open(each).message == [1, 2, 3]) }
    }

    @Test("a restart goes on by the keys that were kept, and not by those whose days are over")
    func restart() throws {
        let house = try House()
        let before = try house.gateway()
        let sealed = try Self.sealed(for: before)
        let again = try house.gateway()
        #expect(again.list.configuration == before.list.configuration)
        for each in sealed { #expect(try again.open(each).message == [1, 2, 3]) }

        house.pass(days: 2)
        let later = try house.gateway()
        for each in sealed { #expect(throws: ObliviousError.self) { try later.open(each) } }
        #expect(try house.files.count == 1)
    }

    @Test("one lasting key vouches for the keys of each day, after a restart, too, and for nothing else")
    func vouched() throws {
        let house = try House()
        let gateway = try house.gateway()
        let identity = try #require(gateway.identity)
        let first = gateway.list
        #expect(identity.vouches(for: first.configuration, by: first.signature))
        house.pass(days: 1)
        gateway.turn()
        let second = gateway.list
        #expect(identity.vouches(for: second.configuration, by: second.signature))
        #expect(!identity.vouches(for: second.configuration, by: first.signature))
        #expect(!identity.vouches(for: second.configuration.dropLast(), by: second.signature))
        #expect(!identity.vouches(for: second.configuration, by: "") && GatewayIdentity(text: "AAAA") == nil)
        let again = try house.gateway()
        #expect(again.identity == identity && GatewayIdentity(text: identity.text) == identity)
        #expect(try House().gateway().identity != identity)
        let path = house.path + "/gateway.secret"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        var file = Array(try #require(FileManager.default.contents(atPath: path)))
        file[100] ^= 1
        #expect(FileManager.default.createFile(atPath: path, contents: Data(file)))
        let unsigned = try house.gateway()
        #expect(unsigned.identity == nil && unsigned.list.signature.isEmpty, "nobody vouches for its keys")
        #expect(unsigned.list.configuration == second.configuration, "and what is sealed is opened")
        #expect(FileManager.default.contents(atPath: path) == Data(file), "a person puts the file right")
    }

    @Test("after a clock that was ahead no key of days to come is left, and clients are told to fetch anew")
    func setBack() throws {
        let house = try House()
        house.pass(days: 400)
        let gateway = try house.gateway()
        let ahead = try Self.sealed(for: gateway)
        house.pass(days: -400)
        gateway.turn()
        #expect(try house.files.count == 1)
        for each in ahead { #expect(throws: ObliviousError.self) { try gateway.open(each) } }
        for each in try Self.sealed(for: gateway) { #expect(try gateway.open(each).message == [1, 2, 3]) }
    }

    @Test("the same number 128 days later is another key")
    func sameNumber() throws {
        let house = try House()
        let gateway = try house.gateway()
        let sealed = try Self.sealed(for: gateway)
        let ids = try KeyConfiguration.list(gateway.list.configuration).map(\.id)
        house.pass(days: 128)
        gateway.turn()
        #expect(try KeyConfiguration.list(gateway.list.configuration).map(\.id) == ids)
        for each in sealed { #expect(throws: ObliviousError.unopened) { try gateway.open(each) } }
    }

    @Test("a key that was half destroyed or damaged is gone, and another one opens")
    func damaged() throws {
        let house = try House()
        let before = try house.gateway().list.configuration
        let file = try #require(try house.files.first)
        let path = house.path + "/oblivious/" + file
        let whole = try house.bytes(file)
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(KeptFile.gone(whole.count))))
        #expect(try house.gateway().list.configuration != before)
        #expect(try house.bytes(file) != whole)

        for place in [0, 8, 90, 153, 154, 161] {
            var changed = try house.bytes(file)
            changed[place] ^= 1
            #expect(FileManager.default.createFile(atPath: path, contents: Data(changed)))
            let former = try #require(try house.files.first)
            let gateway = try house.gateway()
            for each in try Self.sealed(for: gateway) { #expect(try gateway.open(each).message == [1, 2, 3]) }
            #expect(try house.files == [former] && house.bytes(file) != changed, "another key takes its place")
        }
    }

    @Test("a disk that takes no key keeps nobody from sending, and the key is kept once it does")
    func fullDisk() throws {
        let house = try House()
        let gateway = try house.gateway()
        house.pass(days: 1)
        // A folder stands where the file of the day would be made.
        let day = house.time.withLock { $0 }.flooredQuotient(by: 86_400)
        let blocked = "\(house.path)/oblivious/\(day).key.new"
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: false)
        gateway.turn()
        let sealed = try Self.sealed(for: gateway)
        for each in sealed { #expect(try gateway.open(each).message == [1, 2, 3]) }
        #expect(try !house.files.contains("\(day).key"))
        try FileManager.default.removeItem(atPath: blocked)
        gateway.turn()
        for each in sealed { #expect(try house.gateway().open(each).message == [1, 2, 3]) }
    }
}
