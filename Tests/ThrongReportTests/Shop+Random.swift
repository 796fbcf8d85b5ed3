import ThrongSystem

extension Shop {
    /// Cells that are large, small or empty at random, with equal numbers now and then.
    init(_ dice: inout SeededGenerator) {
        self.init()
        for row in views.indices {
            for column in views[row].indices {
                let events = Int64.random(in: 0...12, using: &dice) * 10
                views[row][column] = (events, Bool.random(using: &dice) ? events : events / 8)
            }
        }
        for row in checkouts.indices {
            for band in checkouts[row].indices {
                let events = Int64.random(in: 0...60, using: &dice)
                checkouts[row][band] = (events, events * 1234, Bool.random(using: &dice) ? events : events / 4)
            }
        }
    }
}
