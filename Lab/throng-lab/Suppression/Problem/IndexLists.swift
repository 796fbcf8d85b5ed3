/// A list of lists of small indices, stored as two flat arrays (compressed sparse rows).
///
/// A cube of 10^5 cells with eighty margins over each leaf has millions of incidences; one array a cell would cost
/// more in headers than in content.
package struct IndexLists: Sendable, Hashable {
    /// The place in ``items`` at which each list begins; one entry more than there are lists.
    package private(set) var starts: [Int]
    /// All lists, one after the other.
    package private(set) var items: [UInt32]

    /// Creates an empty collection of lists.
    package init() {
        starts = [0]
        items = []
    }

    /// Copies lists.
    package init(_ lists: some Sequence<[UInt32]>) {
        self.init()
        for list in lists { append(list) }
    }

    /// Takes arrays that are in this form already.
    init(starts: [Int], items: [UInt32]) {
        self.starts = starts
        self.items = items
    }

    /// The number of lists.
    package var count: Int { starts.count - 1 }

    /// One list.
    package subscript(place: Int) -> ArraySlice<UInt32> { items[starts[place]..<starts[place + 1]] }

    /// The length of one list.
    package func length(of place: Int) -> Int { starts[place + 1] - starts[place] }

    /// Adds a list at the end.
    package mutating func append(_ list: some Collection<UInt32>) {
        items.append(contentsOf: list)
        starts.append(items.count)
    }

    /// Returns, for each index below `width`, the lists that hold it, ascending.
    ///
    /// - Complexity: O(items + width).
    package func transposed(width: Int) -> IndexLists {
        var result = IndexLists()
        result.starts = Array(repeating: 0, count: width + 1)
        for item in items { result.starts[Int(item) + 1] += 1 }
        for place in 0..<width { result.starts[place + 1] += result.starts[place] }
        result.items = Array(repeating: 0, count: items.count)
        var next = result.starts
        for list in 0..<count {
            for item in self[list] {
                result.items[next[Int(item)]] = UInt32(list)
                next[Int(item)] += 1
            }
        }
        return result
    }
}
