/// One dimension of the leaf space, or time, with the sets of its finest parts that published numbers add up.
struct LeafAxis {
    /// The dimension's name; time is "when".
    let name: String
    /// The finest parts, named.
    let elements: [String]
    /// Sets in use, by number: element places, ascending.
    private(set) var sets: [[Int32]] = []
    /// By set: a layer; sets of one layer do not overlap, so that an element has at most one of them.
    private(set) var layerOf: [Int] = []
    /// By layer, by element: the set, or −1.
    private(set) var setOf: [[Int32]] = []
    private var numbers: [[Int32]: Int32] = [:]

    init(name: String, elements: [String]) {
        self.name = name
        self.elements = elements
    }

    /// The number of a set of elements; −1 is all of them.
    mutating func number(of members: [Int32]) -> Int32 {
        if members.count == elements.count { return -1 }
        if let known = numbers[members] { return known }
        let number = Int32(sets.count)
        numbers[members] = number
        sets.append(members)
        let layer =
            setOf.indices.first { layer in members.allSatisfy { setOf[layer][Int($0)] < 0 } } ?? setOf.count
        if layer == setOf.count { setOf.append(Array(repeating: -1, count: elements.count)) }
        layerOf.append(layer)
        for member in members { setOf[layer][Int(member)] = number }
        return number
    }

    /// The elements of a set.
    func members(of number: Int32) -> [Int32] {
        number < 0 ? Array(0..<Int32(elements.count)) : sets[Int(number)]
    }
}
