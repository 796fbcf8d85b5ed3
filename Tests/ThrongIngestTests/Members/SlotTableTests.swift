import Testing

@testable import ThrongIngest

@Suite("Slots are shared out evenly, and few change hands")
struct SlotTableTests {
    private static func counts(_ owners: [Int16]) -> [Int] {
        Dictionary(grouping: owners, by: \.self).values.map(\.count)
    }

    @Test(
        "one after another joins and leaves: nobody has much more than another, and nobody's but the one's change hands"
    )
    func evenly() throws {
        var owners = [Int16](repeating: 0, count: Slot.count)
        for shard: Int16 in 1...40 {
            let after = SlotTable.joined(by: shard, owners)
            #expect(zip(owners, after).allSatisfy { $0 == $1 || $1 == shard }, "only the new one gets any")
            #expect(after.contains(shard))
            owners = after
            let counts = Self.counts(owners)
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 2 + Slot.count / 40, "\(counts)")
        }
        for shard: Int16 in [7, 0, 40, 21] {
            let after = try #require(SlotTable.left(by: shard, owners))
            #expect(zip(owners, after).allSatisfy { $0 == $1 || $0 == shard }, "only those of the one that leaves go")
            #expect(!after.contains(shard))
            owners = after
        }
    }

    @Test("who counts already gets no more; the only one can't leave, nor one that counts nothing")
    func bounds() {
        let alone = [Int16](repeating: 3, count: Slot.count)
        #expect(SlotTable.joined(by: 3, alone) == alone)
        #expect(SlotTable.left(by: 3, alone) == nil)
        #expect(SlotTable.left(by: 4, alone) == nil)
        #expect(Self.counts(SlotTable.joined(by: 4, alone)).sorted() == [128, 128])
    }

    @Test("a slot is the first byte of the SHA-256 of an identifier as it is sent")
    func slots() {
        #expect(Slot(of: "".utf8).number == 0xe3)
        #expect(Slot(of: "abc".utf8).number == 0xba)
        #expect(Slot(256) == nil)
        #expect(Slot(-1) == nil)
    }
}
