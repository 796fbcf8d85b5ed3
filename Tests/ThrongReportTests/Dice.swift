/// The same numbers on every run.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A shop of cells that are large, small or empty at random, with equal numbers now and then.
    mutating func shop() -> Shop {
        var shop = Shop()
        for row in shop.views.indices {
            for column in shop.views[row].indices {
                let events = Int64.random(in: 0...12, using: &self) * 10
                shop.views[row][column] = (events, Bool.random(using: &self) ? events : events / 8)
            }
        }
        for row in shop.checkouts.indices {
            for band in shop.checkouts[row].indices {
                let events = Int64.random(in: 0...60, using: &self)
                shop.checkouts[row][band] = (events, events * 1234, Bool.random(using: &self) ? events : events / 4)
            }
        }
        return shop
    }
}
