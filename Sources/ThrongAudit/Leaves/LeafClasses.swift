/// Leaves that no published number tells apart are one unknown.
///
/// A leaf's class is the set of published regions that hold it, recognized by a 128-bit sum of one random word a
/// region: two sets collide with probability 2^-128 a pair.
struct LeafClasses {
    /// By leaf.
    private(set) var classOf: [Int32]
    /// By class: how many leaves.
    private(set) var sizes: [Int32] = []
    /// By class: one of its leaves.
    private(set) var samples: [Int] = []
    /// By region, in the order given: its classes.
    private(set) var members: [[Int32]]

    /// No leaves.
    init() {
        classOf = []
        members = []
    }

    private struct Signature: Hashable {
        var high: UInt64 = 0
        var low: UInt64 = 0
    }

    /// Regions whose sets come from the same layers: a leaf is in at most one of them.
    private struct Shape {
        let layers: [Int]
        var regions: [[Int32]: Int32] = [:]
    }

    /// - Complexity: O(leaves × shapes); there is about one shape a margin and kind of period.
    init(_ space: LeafSpace, regions: [LeafRegion]) {
        var shapes: [[Int]: Shape] = [:]
        for (number, region) in regions.enumerated() {
            let layers = zip(space.axes, region.sets).map { $1 < 0 ? -1 : $0.layerOf[Int($1)] }
            shapes[layers, default: Shape(layers: layers)].regions[region.sets] = Int32(number)
        }
        let ordered = shapes.values.sorted { $0.layers.lexicographicallyPrecedes($1.layers) }
        var numbers: [Signature: Int32] = [:]
        classOf = Array(repeating: 0, count: space.size)
        members = Array(repeating: [], count: regions.count)
        var places = Array(repeating: 0, count: space.axes.count)
        var key = Array(repeating: Int32(-1), count: space.axes.count)
        var holding: [Int32] = []
        for leaf in classOf.indices {
            var rest = leaf
            for axis in space.axes.indices.reversed() {
                places[axis] = rest % space.axes[axis].elements.count
                rest /= space.axes[axis].elements.count
            }
            var signature = Signature()
            holding.removeAll(keepingCapacity: true)
            for shape in ordered {
                var isOutside = false
                for axis in key.indices {
                    let layer = shape.layers[axis]
                    key[axis] = layer < 0 ? -1 : space.axes[axis].setOf[layer][places[axis]]
                    isOutside = isOutside || (layer >= 0 && key[axis] < 0)
                }
                guard !isOutside, let region = shape.regions[key] else { continue }
                holding.append(region)
                signature.high &+= SplitMix.mixed((UInt64(region) &+ 1) &* 0x9e37_79b9_7f4a_7c15)
                signature.low &+= SplitMix.mixed((UInt64(region) &+ 1) &* 0xd1b5_4a32_d192_ed03)
            }
            if let number = numbers[signature] {
                classOf[leaf] = number
                sizes[Int(number)] += 1
            } else {
                let number = Int32(sizes.count)
                numbers[signature] = number
                classOf[leaf] = number
                sizes.append(1)
                samples.append(leaf)
                for region in holding { members[Int(region)].append(number) }
            }
        }
    }
}
