import ArgumentParser
import ThrongPlan

extension LocalPaths {
    /// Returns the problem of each setting whose path is an address.
    static func problems(of settings: Settings) -> [any Error] {
        Setting.all.flatMap { setting -> [any Error] in
            switch setting.kind {
            case .path, .paths:
                guard let value = settings.value(of: setting) else { return [] }
                return value.texts.compactMap { AddressText.problem(ofPath: $0) }.map {
                    ValidationError("\(value.place): \($0).")
                }
            case .number, .text, .words, .choice, .connection: return []
            }
        }
    }
}
