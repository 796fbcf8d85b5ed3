import Foundation
import Testing
import ThrongIngest
import ThrongJournal
import ThrongPlan

@testable import ThrongServer

@Suite("A daemon that stopped in order counts on without PostgreSQL where it was alone, and only there")
struct NeighboursTests {
    private static let window = WindowID(
        app: "shop", purpose: "product", rotation: .standard, number: WindowNumber(1_994_640))

    /// The members of a fleet whose first daemon counts everything.
    private static func membership(_ shards: [Int16]) -> Membership {
        let all = [Int16](repeating: 0, count: Slot.count)
        let epoch = OwnershipEpoch(number: 1, begins: nil, owners: all, retires: nil, isInForce: true)
        let members = shards.map { Member(shard: $0, daemon: "\($0)", address: nil) }
        return Membership(own: 0, epochs: [epoch].compactMap(\.self), members: members, secret: [], heard: 0)
    }

    private static func place(_ data: DataDirectory) throws -> Membership.Owner {
        let neighbours = try Neighbours(data, isShared: true, isReachable: true, authorities: nil, logger: .silent)
        return neighbours.place(of: Array("a".utf8), in: window, isOfKeyHolder: false)
    }

    @Test(
        "its next start counts at once only if no other daemon could have released meanwhile",
        arguments: [([0], true), ([0, 1], false)] as [([Int16], Bool)])
    func stopped(shards: [Int16], countsOn: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = try DataDirectory(path: folder.path)
        let known = Self.membership(shards)
        let neighbours = try Neighbours(data, isShared: true, isReachable: true, authorities: nil, logger: .silent)
        #expect(try Self.place(data) == .undecided, "a new one asks first")
        try neighbours.learn(known)
        #expect(try Self.place(data) == .own(takenOver: nil), "one that was killed counts on")
        try neighbours.leave()
        #expect(try Self.place(data) == .undecided, "PostgreSQL is being told of the stop")
        try neighbours.hasLeft(known)
        #expect(try Self.place(data) == (countsOn ? .own(takenOver: nil) : .undecided))
        try neighbours.learn(Self.membership(shards + [9]))
        #expect(try Self.place(data) == .own(takenOver: nil), "PostgreSQL knows that it is back")
    }
}
