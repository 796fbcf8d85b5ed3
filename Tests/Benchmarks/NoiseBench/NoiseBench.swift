import NoiseTrial

/// `Deploy/bench noise`: how long a release of a million cells takes, and how far off the numbers of an app of 500 devices a day are,
/// and whether they say so.
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
        let days = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1000
        for (mechanism, cost) in [("laplace, epsilon", "1"), ("gaussian, rho", "1/8")] {
            let app = try SmallApp(epsilon: cost, mechanism: mechanism)
            print(
                """
                \(mechanism) \(cost) a day, \(app.devices) devices, \(days) days each
                with unit: window and its defaults, every number: ±\(try app.marginBefore())
                spread  grouping                cells  planned  stated  within it %  95 % really within  mean error
                """)
            for spread in SmallApp.Spread.allCases {
                for outcome in try app.run(spread, days: days, seed: 17) {
                    print(
                        padded(spread.rawValue, 7), padded(outcome.name, 23), padded("\(outcome.cells)", 6),
                        padded("±\(outcome.planned)", 8), padded("±\(outcome.stated)", 7),
                        padded("\((outcome.held * 1000).rounded() / 10)", 12),
                        padded("±\(outcome.actual)", 19), "\((outcome.bias * 100).rounded() / 100)")
                }
            }
        }
    }

    private static func rounded(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
