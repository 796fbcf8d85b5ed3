/// A heap that gives the smallest rank first.
struct RankQueue {
    private var heap: [Int] = []

    mutating func push(_ rank: Int) {
        heap.append(rank)
        var place = heap.count - 1
        while place > 0, heap[(place - 1) / 2] > heap[place] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() -> Int? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return first }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return first }
            heap.swapAt(least, place)
            place = least
        }
    }
}
