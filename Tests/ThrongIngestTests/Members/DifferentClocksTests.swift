import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongIngest

/// Daemons whose clocks differ by up to half an hour, and a PostgreSQL that says when epochs begin. It remembers what each has
/// counted, also of those that are lost: what they flushed stays.
private struct Fleet {
    private(set) var epochs: [OwnershipEpoch] = []
    private(set) var last: Int64 = 1
    private(set) var known: [Int16: [OwnershipEpoch]] = [:]
    private(set) var heard: [Int16: Int64] = [:]
    private(set) var retired: Set<Int16> = []
    var now = UnixSeconds(1_000_000)
    let shards: [Int16]
    /// How far each one's clock is ahead. Unit: seconds.
    let ahead: [Int16: Int64]
    /// By slot and window as it is counted, by whom.
    private(set) var counted: [String: Int16] = [:]
    /// What was counted by two.
    private(set) var twice: [String] = []
    private var windows: [Int16: [WindowID]] = [:]

    static let slots = [0, 1, 77, 100, 200, 255].compactMap { Slot($0) }

    init(ahead: [Int64]) {
        shards = ahead.indices.map { Int16($0) }
        self.ahead = Dictionary(uniqueKeysWithValues: zip(shards, ahead))
        epochs = [
            OwnershipEpoch(
                number: 1, begins: nil, owners: (0..<Slot.count).map { Int16($0 % 3) }, retires: nil, isInForce: true)
        ].compactMap(\.self)
        for shard in shards { known[shard] = epochs }
    }

    private var inForce: [OwnershipEpoch] { epochs.filter(\.isInForce) }
    var owners: [Int16] { inForce.last?.owners ?? [] }

    private mutating func void() {
        epochs.removeAll { epoch in !epoch.isInForce && epoch.begins.map { $0 <= now } ?? false }
    }

    mutating func propose(_ owners: [Int16], in seconds: Int64) {
        void()
        guard epochs.allSatisfy(\.isInForce) else { return }
        last += 1
        let epoch = OwnershipEpoch(number: last, begins: now + seconds, owners: owners, retires: nil, isInForce: false)
        if let epoch { epochs.append(epoch) }
    }

    mutating func retire(_ shard: Int16) {
        guard !retired.contains(shard), let left = SlotTable.left(by: shard, owners) else { return }
        epochs = inForce
        retired.insert(shard)
        last += 1
        let epoch = OwnershipEpoch(number: last, begins: now, owners: left, retires: shard, isInForce: true)
        if let epoch { epochs.append(epoch) }
    }

    private func membership(_ shard: Int16) -> Membership {
        Membership(
            own: shard, epochs: known[shard] ?? [], members: [], secret: [], heard: heard[shard] ?? 0)
    }

    /// A daemon learns what PostgreSQL says, and agrees to what it can.
    mutating func look(_ shard: Int16) {
        guard !retired.contains(shard) else { return }
        void()
        known[shard] = epochs
        guard let open = epochs.last, !open.isInForce, open.number > heard[shard] ?? 0, let begins = open.begins,
            open.owners.contains(shard) || owners.contains(shard), now + (ahead[shard] ?? 0) + 2 < begins,
            !(windows[shard] ?? []).contains(where: { $0.opens >= begins })
        else { return }
        heard[shard] = open.number
        guard Set(open.owners + owners).allSatisfy({ heard[$0] ?? 0 >= open.number }) else { return }
        epochs = inForce
        let epoch = OwnershipEpoch(
            number: open.number, begins: open.begins, owners: open.owners, retires: nil, isInForce: true)
        if let epoch { epochs.append(epoch) }
    }

    /// One and the same device sends to a daemon in the windows that this one's clock takes.
    mutating func send(to shard: Int16) {
        // What is counted behind PostgreSQL's back is never flushed.
        guard !retired.contains(shard) else { return }
        let membership = membership(shard)
        for rotation: Int64 in [60, 900] {
            let rotation = Rotation(seconds: rotation)
            let current = rotation.window(at: now + (ahead[shard] ?? 0)).value
            for number in current - 1...current + 1 {
                let window = WindowID(
                    app: "shop", purpose: "product", rotation: rotation, number: WindowNumber(number))
                for slot in Self.slots {
                    guard case .own(let takenOver) = membership.owner(of: slot, in: window) else { continue }
                    windows[shard, default: []].append(window)
                    let name = "\(slot.number) \(rotation.seconds) \(number) \(takenOver ?? 0)"
                    let before = counted.updateValue(shard, forKey: name) ?? shard
                    if before != shard { twice.append("\(name): \(before) and \(shard)") }
                }
            }
        }
    }
}

@Suite("No device is counted twice in a window, whatever daemons' clocks say, and where changes overtake each other")
struct DifferentClocksTests {
    private static let within: [Int64] = [5, 10, 60, 600, 3600]

    @Test("histories at random, 300 of them", arguments: 0..<300)
    func histories(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        let clocks: [Int64] = [-1500, -200, -3, 0, 0, 3, 200, 1500]
        var fleet = Fleet(ahead: (0..<5).map { _ in clocks.randomElement(using: &chance) ?? 0 })
        for _ in 0..<160 {
            let shard = Int16.random(in: 0..<5, using: &chance)
            switch Int.random(in: 0..<12, using: &chance) {
            case 0 where !fleet.retired.contains(shard):
                fleet.propose(
                    SlotTable.joined(by: shard, fleet.owners), in: Self.within.randomElement(using: &chance) ?? 5)
            case 1:
                if let left = SlotTable.left(by: shard, fleet.owners) {
                    fleet.propose(left, in: Self.within.randomElement(using: &chance) ?? 5)
                }
            case 2 where Int.random(in: 0..<4, using: &chance) == 0: fleet.retire(shard)
            case 3...6: for shard in fleet.shards where Bool.random(using: &chance) { fleet.look(shard) }
            case 7...9: fleet.send(to: shard)
            default: fleet.now = fleet.now + Int64.random(in: 0...200, using: &chance)
            }
        }
        #expect(fleet.twice.isEmpty, "\(fleet.twice.prefix(3))")
    }

    @Test("a window that the lost one's clock had begun to count is another one for who counts in its place")
    func lostAhead() {
        var fleet = Fleet(ahead: [0, 0, 300])
        fleet.send(to: 2)
        fleet.retire(2)
        for shard in fleet.shards { fleet.look(shard) }
        for _ in 0..<20 {
            fleet.now = fleet.now + 30
            fleet.send(to: 0)
            fleet.send(to: 1)
        }
        #expect(fleet.twice.isEmpty, "\(fleet.twice.prefix(3))")
        let taken = fleet.counted.keys.filter { !$0.hasSuffix(" 0") }
        #expect(!taken.isEmpty)
        // An hour later nobody can have counted in what opens.
        fleet.now = fleet.now + 7200
        let before = Set(fleet.counted.keys)
        fleet.send(to: 0)
        fleet.send(to: 1)
        #expect(fleet.counted.keys.filter { !before.contains($0) }.allSatisfy { $0.hasSuffix(" 0") })
    }

    @Test("who has left neither comes back with a change that begins later, nor goes before that begins")
    func overtaken() throws {
        var fleet = Fleet(ahead: [0, 0, 0, 0])
        fleet.propose(SlotTable.joined(by: 3, fleet.owners), in: 600)
        for shard in fleet.shards { fleet.look(shard) }
        fleet.propose(try #require(SlotTable.left(by: 2, fleet.owners)), in: 10)
        for _ in 0..<2 { for shard in fleet.shards { fleet.look(shard) } }
        #expect(fleet.epochs.map(\.isInForce) == [true, true, true])
        for later: Int64 in [700, 7200] {
            let rotation = Rotation(seconds: 60)
            let window = WindowID(
                app: "shop", purpose: "product", rotation: rotation,
                number: WindowNumber(rotation.window(at: fleet.now + later).value + 1))
            let membership = Membership(own: 2, epochs: fleet.epochs, members: [], secret: [], heard: 0)
            for slot in (0..<256).compactMap({ Slot($0) }) {
                if case .own = membership.owner(of: slot, in: window) {
                    Issue.record("it counts slot \(slot.number) in \(later) s")
                }
            }
        }
        let soon = WindowID(
            app: "shop", purpose: "product", rotation: Rotation(seconds: 60),
            number: WindowNumber(Rotation(seconds: 60).window(at: fleet.now + 60).value + 1))
        let known = Membership(own: 2, epochs: fleet.epochs, members: [], secret: [], heard: 0)
        for slot in (0..<256).compactMap({ Slot($0) }) where slot.number % 3 == 2 {
            #expect(known.owner(of: slot, in: soon) == .own(takenOver: nil))
        }
    }
}
