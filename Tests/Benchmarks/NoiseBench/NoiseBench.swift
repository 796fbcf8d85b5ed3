import NoiseTrial

/// `Deploy/bench noise`: how long a release of a million cells takes, and how much memory.
@main
struct NoiseBench {
    static func main() throws {
        let cube = try CubeTrial.run()
        print(
            """
            \(cube.cells) cells, all 8 groupings, two layers: \(rounded(cube.drawing)) s to draw, \(rounded(cube.adding)) s to add \
            up, \(rounded(cube.settling)) s to settle from 0 on (published numbers within \(rounded(cube.moved))); \
            \(rounded(cube.drawing + cube.adding + cube.settling)) s in all, peak \(cube.peak) MiB; must 30 s and 1024 MiB
            """)
    }

    private static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
