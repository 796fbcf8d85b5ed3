import NoiseTrial

/// `Deploy/bench noise`: how far off the numbers of an app of 500 devices a day are, and whether they say so.
@main
struct NoiseBench {
    static func main() throws {
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

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
