internal import ThrongPlan

/// Which cells of a cube may be published: the decision over the whole cube, made before any number leaves it.
struct Withholding {
    /// One array a margin of the cube, by cell: whether the cell is published.
    private(set) var published: [[Bool]]

    /// Withholds every cell whose floor is under k: small ones and empty ones alike.
    init(of cube: ReleaseCube, threshold: Threshold) {
        published = cube.slabs.map { slab in slab.floors.map { $0 >= threshold.devices } }
    }
}
