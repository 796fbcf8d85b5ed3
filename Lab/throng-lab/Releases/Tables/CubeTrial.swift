internal import Foundation
internal import ThrongNoise
internal import ThrongSystem

/// One release of a cube of devices by three fields, all eight groupings, with both layers of noise: how long it takes.
package struct CubeTrial {
    /// Of the finest grouping. Unit: cells.
    package let cells: Int
    /// Drawing both layers of all interactions. Unit: seconds.
    package let drawing: Double
    /// Exact numbers of all groupings, and whole ones that add up. Unit: seconds.
    package let adding: Double
    /// The largest distance of a whole number that may be published from its drawn one. Unit: devices.
    package let moved: Double
    /// Most that the process ever had. Unit: MiB.
    package let peak: Int

    /// Draws the release of a heavy-tailed crowd, one device a cell on average.
    package static func run(buckets: [Int] = [100, 100, 100]) throws -> CubeTrial {
        let lattice = try Lattice(
            fields: buckets.map { try Field(buckets: $0) }, groupings: FieldSet(buckets.indices).subsets)
        let counted = tables(of: lattice, buckets)
        let secret = DrawSecret(bytes: Array(repeating: 7 as UInt8, count: 32))
        let clock = ContinuousClock()
        var drawn: [FieldSet: InteractionTable] = [:]
        let drawing = try clock.measure {
            for interaction in lattice.interactions {
                var table = counted[interaction] ?? []
                let buckets = lattice.buckets(of: interaction)
                let variance = try LayerVariance(threshold: 20, buckets: buckets)
                let kept = try KeptNoise(NoiseWidth(threshold: 20), buckets: buckets)
                let question = QuestionKey(of: "cube by \(interaction.places)")
                let fresh = Layer.fresh(variance, period: "day 1", counted: secret.digest(of: table))
                for layer in [Layer.kept(kept), fresh] {
                    let noise = try secret.noise(of: question, layer, cells: table.count)
                    for cell in table.indices { table[cell] += noise[cell] }
                }
                drawn[interaction] = try InteractionTable(table, of: interaction, in: lattice)
            }
        }
        var (total, cells, moved) = (Int64(0), 0, 0.0)
        let adding = try clock.measure {
            for grouping in lattice.groupings {
                let numbers = try lattice.numbers(of: grouping, from: drawn)
                let whole = numbers.whole
                if grouping.count == 0 { total = whole[0] }
                precondition(whole.reduce(0, +) == total, "a total is the sum of its parts")
                moved = max(
                    moved, numbers.farthest(whole) { whole[$0] >= 34 && numbers.isAtLeast(34, at: $0) }.approximate)
                cells = whole.count
            }
        }
        return CubeTrial(
            cells: cells, drawing: drawing / .seconds(1), adding: adding / .seconds(1), moved: moved,
            peak: peakMemory())
    }

    private static func tables(of lattice: Lattice, _ buckets: [Int]) -> [FieldSet: [Int64]] {
        var dice = SeededGenerator(seed: 7)
        var tables: [FieldSet: [Int64]] = [:]
        for interaction in lattice.interactions {
            tables[interaction] = Array(repeating: 0, count: lattice.cells(of: interaction))
        }
        for _ in 0..<buckets.reduce(1, *) {
            let device = buckets.map { count in
                let place = dice.fraction()
                return Int(Double(count) * place * place * place)
            }
            for interaction in lattice.interactions {
                let cell = interaction.places.reduce(0) { $0 * buckets[$1] + device[$1] }
                tables[interaction]?[cell] += 1
            }
        }
        return tables
    }

    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1024
    }
}
