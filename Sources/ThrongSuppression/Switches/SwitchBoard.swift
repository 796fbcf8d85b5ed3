/// What is published of a grid, and where leaves are that may give something.
struct SwitchBoard {
    let grid: LeafGrid
    let values: [Int64]
    /// Whether empty places may receive something.
    let mayArrive: Bool
    /// By grouping, by cell: published.
    private var isShown: [[Bool]]
    /// Groupings of which something is published.
    private(set) var active: [Int]
    /// By leaf: the groupings whose cell of it is published.
    private var shownBits: [UInt64]
    private var donorLists: [ListName: DonorLists] = [:]

    /// Takes what is published.
    ///
    /// - Complexity: O(leaves · groupings + cells).
    init(_ grid: LeafGrid, _ measure: AdditiveMeasure, published: [Bool]) {
        self.grid = grid
        values = measure.values
        mayArrive = measure.mayArrive
        isShown = grid.groupings.prefix(grid.shownCount).map { Array(repeating: false, count: $0.cellCount) }
        active = []
        shownBits = Array(repeating: 0, count: values.count)
        for (number, grouping) in grid.groupings.prefix(grid.shownCount).enumerated() {
            var isActive = false
            for cell in 0..<grouping.cellCount {
                guard let column = grouping.column(ofCell: cell), published[Int(column)] else { continue }
                isShown[number][cell] = true
                isActive = true
            }
            guard isActive else { continue }
            active.append(number)
            for leaf in values.indices {
                let cell = grouping.cell(of: grid.places[leaf])
                if cell >= 0, isShown[number][cell] { shownBits[leaf] |= 1 << UInt64(number) }
            }
        }
    }

    /// Whether somebody may be at a place.
    func mayHold(_ place: LeafGrid.Place) -> Bool { grid.leaf(at: place) != nil || mayArrive && grid.isPossible(place) }

    /// Hides a column.
    ///
    /// - Complexity: O(its leaves · lists of donors), and what it takes to move up what stands behind them in these.
    mutating func hide(_ column: Int, leaves: ArraySlice<UInt32>) {
        guard let number = grid.groupingOfColumn[column], number < grid.shownCount, let first = leaves.first else {
            return
        }
        let cell = grid.groupings[number].cell(of: grid.places[Int(first)])
        guard isShown[number][cell] else { return }
        isShown[number][cell] = false
        let bit: UInt64 = 1 << UInt64(number)
        let names = donorLists.keys.filter { $0.crossing & bit != 0 }
        for leaf in leaves {
            shownBits[Int(leaf)] &= ~bit
            guard values[Int(leaf)] > 0 else { continue }
            for name in names where name.crossing & shownBits[Int(leaf)] == 0 {
                let key = grid.key(of: grid.places[Int(leaf)] &* name.kept)
                donorLists[name]?.insert(leaf, at: key, values: values)
            }
        }
    }

    /// Publishes a column.
    ///
    /// - Complexity: as for hiding one.
    mutating func show(_ column: Int, leaves: ArraySlice<UInt32>) {
        guard let number = grid.groupingOfColumn[column], number < grid.shownCount, let first = leaves.first else {
            return
        }
        let cell = grid.groupings[number].cell(of: grid.places[Int(first)])
        guard !isShown[number][cell] else { return }
        isShown[number][cell] = true
        if !active.contains(number) { active.append(number) }
        let bit: UInt64 = 1 << UInt64(number)
        let names = donorLists.keys.filter { $0.crossing & bit != 0 }
        for leaf in leaves {
            if values[Int(leaf)] > 0 {
                for name in names where name.crossing & shownBits[Int(leaf)] == 0 {
                    let key = grid.key(of: grid.places[Int(leaf)] &* name.kept)
                    donorLists[name]?.remove(leaf, at: key, values: values)
                }
            }
            shownBits[Int(leaf)] |= bit
        }
    }

    /// Whether a published number would change if somebody were added at a place.
    func isFree(_ place: LeafGrid.Place) -> Bool {
        active.allSatisfy { number in
            let cell = grid.groupings[number].cell(of: place)
            return cell < 0 || !isShown[number][cell]
        }
    }

    /// The cell of a grouping that a place is in, if it is published.
    func shownCell(of place: LeafGrid.Place, _ number: Int) -> Int? {
        let cell = grid.groupings[number].cell(of: place)
        return cell >= 0 && isShown[number][cell] ? cell : nil
    }

    /// Whether these steps leave every published number alone.
    ///
    /// - Complexity: O(groupings · steps²), with few steps.
    func isBalanced(_ steps: [(place: LeafGrid.Place, sign: Int)]) -> Bool {
        var cells = Array(repeating: -1, count: steps.count)
        for number in active {
            let grouping = grid.groupings[number]
            for (index, step) in steps.enumerated() {
                let cell = grouping.cell(of: step.place)
                cells[index] = cell >= 0 && isShown[number][cell] ? cell : -1
            }
            for index in steps.indices where cells[index] >= 0 {
                var sum = 0
                for other in steps.indices where cells[other] == cells[index] { sum += steps[other].sign }
                if sum != 0 { return false }
            }
        }
        return true
    }

    /// Leaves that agree with a place on some axes and are in no published cell of some groupings, the largest first.
    ///
    /// - Complexity: O(leaves · log leaves) for the first of each kind, then O(1).
    mutating func donors(_ crossing: UInt64, agreeing lanes: SwitchSplit.Lanes, with place: LeafGrid.Place)
        -> ArraySlice<UInt32>
    {
        let kept = LeafGrid.Place(repeating: 0).replacing(with: 1, where: lanes)
        let name = ListName(crossing: crossing, kept: kept)
        if donorLists[name] == nil {
            donorLists[name] = DonorLists(
                leaves: values.indices.filter { values[$0] > 0 && shownBits[$0] & crossing == 0 }, kept: kept, in: self)
        }
        return donorLists[name]?.list(for: grid.key(of: place &* kept)) ?? []
    }

    private struct ListName: Hashable {
        let crossing: UInt64
        let kept: LeafGrid.Place
    }

    /// Leaves by what they have on some axes, the largest first.
    private struct DonorLists {
        private var ranges: [UInt64: Range<Int>] = [:]
        private let items: [UInt32]
        /// Lists that have changed since.
        private var changed: [UInt64: [UInt32]] = [:]

        init(leaves: [Int], kept: LeafGrid.Place, in board: SwitchBoard) {
            let keyed = leaves.map { (key: board.grid.key(of: board.grid.places[$0] &* kept), leaf: $0) }
                .sorted { ($0.key, board.values[$1.leaf], $0.leaf) < ($1.key, board.values[$0.leaf], $1.leaf) }
            items = keyed.map { UInt32($0.leaf) }
            var start = 0
            while start < keyed.count {
                var end = start + 1
                while end < keyed.count, keyed[end].key == keyed[start].key { end += 1 }
                ranges[keyed[start].key] = start..<end
                start = end
            }
        }

        func list(for key: UInt64) -> ArraySlice<UInt32> {
            changed[key].map { $0[...] } ?? ranges[key].map { items[$0] } ?? []
        }

        mutating func insert(_ leaf: UInt32, at key: UInt64, values: [Int64]) {
            var list = changed.removeValue(forKey: key) ?? Array(self.list(for: key))
            list.insert(leaf, at: Self.place(of: leaf, in: list, values))
            changed[key] = list
        }

        mutating func remove(_ leaf: UInt32, at key: UInt64, values: [Int64]) {
            var list = changed.removeValue(forKey: key) ?? Array(self.list(for: key))
            let place = Self.place(of: leaf, in: list, values)
            if place < list.count, list[place] == leaf { list.remove(at: place) }
            changed[key] = list
        }

        private static func place(of leaf: UInt32, in list: [UInt32], _ values: [Int64]) -> Int {
            var (low, high) = (0, list.count)
            while low < high {
                let middle = (low + high) / 2
                let other = list[middle]
                if (values[Int(leaf)], other) < (values[Int(other)], leaf) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
