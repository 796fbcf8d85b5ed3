/// A value that is sent as a parameter of a query, or as several that follow each other.
protocol ParameterValue: Sendable {
    var parameters: [Parameter] { get }
}

/// An element of an array that is sent as a whole, mostly as one parameter.
protocol ParameterElement: Sendable {
    static func parameters(of all: [Self]) -> [Parameter]
}

extension ParameterValue where Self: BinaryInteger {
    var parameters: [Parameter] { [.integer(Int64(self))] }
}

extension ParameterElement where Self: BinaryInteger {
    static func parameters(of all: [Self]) -> [Parameter] { [.integers(all.map { Int64($0) })] }
}

extension Int: ParameterValue, ParameterElement {}
extension Int16: ParameterValue, ParameterElement {}
extension Int32: ParameterValue, ParameterElement {}
extension Int64: ParameterValue, ParameterElement {}

extension UInt8: ParameterElement {
    static func parameters(of all: [UInt8]) -> [Parameter] { [.bytes(all)] }
}

extension String: ParameterValue {
    var parameters: [Parameter] { [.text(self)] }
}

extension Bool: ParameterValue {
    var parameters: [Parameter] { [.text(self ? "true" : "false")] }
}

/// A length in whole seconds.
extension Duration: ParameterValue {
    var parameters: [Parameter] { [.integer(components.seconds)] }
}

/// Null for nil.
extension Optional: ParameterValue where Wrapped: ParameterValue {
    var parameters: [Parameter] { self?.parameters ?? [.null] }
}

extension Array: ParameterValue where Element: ParameterElement {
    var parameters: [Parameter] { Element.parameters(of: self) }
}
