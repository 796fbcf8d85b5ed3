import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongIngest

/// What PostgreSQL has of epochs, and daemons that hear of it at different times or not at all; by the rules of the schema.
private struct World {
    private(set) var epochs: [OwnershipEpoch] = []
    private var voided: Set<Int64> = []
    private var heard: [Int16: Int64] = [:]
    private(set) var known: [Int16: Membership] = [:]
    private(set) var retired: Set<Int16> = []
    var now = UnixSeconds(1_000_000)
    let shards: [Int16]

    init(daemons: Int16) {
        shards = Array(0..<daemons)
        let all = [Int16](repeating: 0, count: Slot.count)
        epochs = [OwnershipEpoch(number: 1, begins: nil, owners: all, retires: nil, isInForce: true)].compactMap(\.self)
    }

    private var open: OwnershipEpoch? { epochs.last.flatMap { $0.isInForce ? nil : $0 } }
    private var inForce: OwnershipEpoch? { epochs.last { $0.isInForce } }
    private var lastNumber: Int64 { max(epochs.last?.number ?? 0, voided.max() ?? 0) }

    private mutating func void() {
        guard let open, let begins = open.begins, begins <= now else { return }
        voided.insert(open.number)
        epochs.removeLast()
    }

    mutating func propose(_ owners: [Int16], in seconds: Int64) {
        void()
        guard open == nil else { return }
        let epoch = OwnershipEpoch(
            number: lastNumber + 1, begins: now + seconds, owners: owners, retires: nil, isInForce: false)
        if let epoch { epochs.append(epoch) }
    }

    mutating func retire(_ shard: Int16) {
        guard let owners = inForce.flatMap({ SlotTable.left(by: shard, $0.owners) }), !retired.contains(shard) else {
            return
        }
        if let open {
            voided.insert(open.number)
            epochs.removeLast()
        }
        retired.insert(shard)
        let epoch = OwnershipEpoch(number: lastNumber + 1, begins: now, owners: owners, retires: shard, isInForce: true)
        if let epoch { epochs.append(epoch) }
    }

    private func read(_ shard: Int16, heard: Int64) -> Membership {
        Membership(
            own: shard, epochs: epochs, members: shards.map { Member(shard: $0, daemon: "\($0)", address: nil) },
            secret: [], heard: max(heard, self.heard[shard] ?? 0))
    }

    /// A daemon looks. Its agreement may get lost on the way, or the answer to it.
    mutating func look(_ shard: Int16, losing loss: Int) {
        guard !retired.contains(shard) else { return }
        void()
        var membership = read(shard, heard: known[shard]?.heard ?? 0)
        known[shard] = membership
        guard let open, open.number > membership.heard, let before = inForce,
            open.owners.contains(shard) || before.owners.contains(shard), let begins = open.begins, now + 2 < begins
        else { return }
        membership.heard = open.number
        known[shard] = membership
        if loss == 1 { return }
        heard[shard] = open.number
        let concerned = Set(open.owners).union(before.owners)
        if concerned.allSatisfy({ (heard[$0] ?? 0) >= open.number }) {
            epochs.removeLast()
            let epoch = OwnershipEpoch(
                number: open.number, begins: open.begins, owners: open.owners, retires: nil, isInForce: true)
            if let epoch { epochs.append(epoch) }
        }
        if loss == 2 { return }
        known[shard] = read(shard, heard: open.number)
    }
}

@Suite("Who counts an identifier in a window: never two, whoever was cut off from PostgreSQL, and when")
struct MembershipTests {
    private static func window(_ rotation: Int64, opening: UnixSeconds) -> WindowID {
        let rotation = Rotation(seconds: rotation)
        return WindowID(
            app: "shop", purpose: "product", rotation: rotation,
            number: WindowNumber(rotation.window(at: opening).value + 1))
    }

    @Test("histories at random, 400 of them", arguments: 0..<400)
    func histories(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        var world = World(daemons: 4)
        for shard in world.shards { world.look(shard, losing: 0) }
        /// By slot and window, who has counted in it; in windows that were taken over, apart.
        var counted: [String: Int16] = [:]
        var decided = 0
        for _ in 0..<120 {
            let shard = Int16.random(in: 0..<4, using: &chance)
            switch Int.random(in: 0..<10, using: &chance) {
            case 0:
                if let owners = world.epochs.last(where: \.isInForce)?.owners, !world.retired.contains(shard) {
                    world.propose(SlotTable.joined(by: shard, owners), in: Int64.random(in: 3...30, using: &chance))
                }
            case 1:
                if let owners = world.epochs.last(where: \.isInForce)?.owners,
                    let left = SlotTable.left(by: shard, owners)
                {
                    world.propose(left, in: Int64.random(in: 3...30, using: &chance))
                }
            case 2 where seed % 2 == 0 && Int.random(in: 0..<6, using: &chance) == 0: world.retire(shard)
            case 2...6: world.look(shard, losing: Int.random(in: 0..<4, using: &chance))
            default: world.now = world.now + Int64.random(in: 0...12, using: &chance)
            }
            // Clients send to each daemon, also to one that is retired and does not know it: what that counts is never flushed.
            for shard in world.shards where !world.retired.contains(shard) {
                guard let membership = world.known[shard] else { continue }
                for rotation: Int64 in [60, 900] {
                    for opening in [world.now, world.now - rotation] {
                        let window = Self.window(rotation, opening: opening)
                        for slot in [0, 1, 100, 255].compactMap({ Slot($0) }) {
                            guard case .own(let takenOver) = membership.owner(of: slot, in: window) else { continue }
                            let name = "\(slot.number) \(rotation) \(window.number.value) \(takenOver ?? 0)"
                            let before = counted.updateValue(shard, forKey: name) ?? shard
                            let isLost = world.retired.contains(before)
                            #expect(before == shard || isLost, "\(name): \(before) and \(shard)")
                            decided += 1
                        }
                    }
                }
            }
        }
        #expect(decided > 0)
    }

    @Test(
        "until all agree, and where one does not, nothing changes; who has agreed refuses what is in doubt, and nothing else"
    )
    func agreement() throws {
        var world = World(daemons: 2)
        for shard in world.shards { world.look(shard, losing: 0) }
        let before = try #require(world.epochs.last)
        let owners = SlotTable.joined(by: 1, before.owners)
        let moved = try #require(owners.lastIndex(of: 1).flatMap { Slot($0) })
        let stays = try #require(owners.firstIndex(of: 0).flatMap { Slot($0) })
        world.propose(owners, in: 30)
        world.look(0, losing: 0)
        let later = Self.window(60, opening: world.now + 120)
        let sooner = Self.window(60, opening: world.now - 60)
        let first = try #require(world.known[0])
        #expect(first.owner(of: moved, in: later) == .undecided)
        #expect(first.owner(of: stays, in: later) == .own(takenOver: nil))
        #expect(first.owner(of: moved, in: sooner) == .own(takenOver: nil))
        world.now = world.now + 40
        world.look(1, losing: 0)
        world.look(0, losing: 0)
        #expect(world.known[0]?.owner(of: moved, in: later) == .own(takenOver: nil), "too late: void")
        world.propose(owners, in: 30)
        world.look(0, losing: 0)
        world.look(1, losing: 0)
        world.look(0, losing: 0)
        let last = Self.window(60, opening: world.now + 120)
        #expect(world.known[1]?.owner(of: moved, in: last) == .own(takenOver: nil))
        guard case .other(let member)? = world.known[0]?.owner(of: moved, in: last) else {
            Issue.record("the first hands it on")
            return
        }
        #expect(member.shard == 1)
    }

    @Test("a window that was taken over is another one, at the same time")
    func takenOver() {
        let window = Self.window(900, opening: UnixSeconds(1_700_000_000))
        let taken = window.taken(over: 7)
        #expect(taken != window)
        #expect(taken.asOpened == window)
        #expect(taken.over == window.over)
        #expect(taken.opens == window.opens)
        #expect(taken.number.takenOver == 7)
        #expect(window.number.takenOver == 0)
        #expect(taken.rotation.start(of: taken.number) == window.rotation.start(of: window.number))
    }

    @Test("how many count is how many have a slot by what is in force; what is only proposed says nothing")
    func counting() {
        func membership(_ owners: [Int16], isInForce: Bool = true) -> Membership {
            let all = [Int16](repeating: 0, count: Slot.count)
            let epochs = [
                OwnershipEpoch(number: 1, begins: nil, owners: all, retires: nil, isInForce: true),
                OwnershipEpoch(number: 2, begins: UnixSeconds(9), owners: owners, retires: nil, isInForce: isInForce),
            ]
            return Membership(own: 0, epochs: epochs.compactMap(\.self), members: [], secret: [], heard: 0)
        }
        let four = (0..<Slot.count).map { Int16($0 % 4) }
        #expect(membership(four).counting == 4)
        #expect(membership(four, isInForce: false).counting == 1)
        #expect(Membership(own: 0, epochs: [], members: [], secret: [], heard: 0).counting == 1)
    }

    @Test("another one may be there, unless it is lost")
    func others() {
        let all = [Int16](repeating: 1, count: Slot.count)
        func membership(_ shards: [Int16], retires: Int16? = nil) -> Membership {
            let begins = retires.map { _ in UnixSeconds(9) }
            let epoch = OwnershipEpoch(number: 1, begins: begins, owners: all, retires: retires, isInForce: true)
            let members = shards.map { Member(shard: $0, daemon: "\($0)", address: nil) }
            return Membership(own: 1, epochs: [epoch].compactMap(\.self), members: members, secret: [], heard: 0)
        }
        #expect(!membership([1]).hasOthers)
        #expect(membership([0, 1]).hasOthers)
        #expect(!membership([0, 1], retires: 0).hasOthers)
        #expect(membership([0, 1, 2], retires: 0).hasOthers)
    }
}
