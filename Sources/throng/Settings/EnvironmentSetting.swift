import ArgumentParser
import Configuration

/// A setting that is a whole number and has no option: a variable of the environment.
struct EnvironmentSetting<Options>: Sendable {
    let key: String
    let unit: String
    let lowest: Int
    let highest: Int
    let standard: Int
    let meaning: String
    let apply: @Sendable (inout Options, Int) -> Void

    /// THRONG_INTAKE_BODY_BYTES for intake.body-bytes.
    var variable: String {
        "THRONG_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    /// What the manual says of it.
    var help: String { "  \(variable) (int, \(standard), \(unit))\n      \(meaning)" }

    /// Takes the value over where there is one.
    ///
    /// - Throws: `ValidationError` where it is no whole number, or out of range.
    func take(from environment: [String: String], to options: inout Options) throws {
        guard let text = environment[variable] else { return }
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [variable: text]))
        guard let value = reader.int(forKey: ConfigKey("throng.\(key)")), (lowest...highest).contains(value) else {
            throw ValidationError("\(variable) takes a whole number of \(unit) from \(lowest) to \(highest).")
        }
        apply(&options, value)
    }
}
