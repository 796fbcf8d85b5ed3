import ThrongWire

/// Encapsulated requests by known keys: what comes is opened as it is, and sealed first; and read as a list of keys, to some of
/// which something is sealed.
struct SealedTarget: FuzzTarget {
    /// The secret of RFC 9458, appendix A, so that its request opens.
    private static let secret: [UInt8] = [
        0x3c, 0x16, 0x89, 0x75, 0x67, 0x4b, 0x2f, 0xa8, 0xe4, 0x65, 0x97, 0x0b, 0x79, 0xc8, 0xdc, 0xf0,
        0x9f, 0x1c, 0x74, 0x16, 0x26, 0x48, 0x0b, 0xd4, 0xc6, 0x16, 0x2f, 0xc5, 0xb6, 0xa9, 0x8e, 0x1a,
    ]
    private let keys = KeyMechanism.allCases.enumerated().compactMap { place, mechanism in
        GatewayKey(id: UInt8(place + 1), mechanism: mechanism, secret: secret)
    }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        if let request = opened(bytes) { try FuzzFinding.check(answer(request) != nil, .mismatch(what: "an answer")) }
        let key = keys[Int(bytes.first ?? 0) % keys.count]
        guard
            let sealed = Self.tried({ () throws(ObliviousError) in
                try SealedRequest(bytes, for: key.configuration)
            })
        else { throw .mismatch(what: "a key and its configuration") }
        guard let request = opened(sealed.bytes), request.message == bytes else {
            throw .twoReadings(what: "a sealed request")
        }
        let response = answer(request).flatMap { answer in
            Self.tried { () throws(ObliviousError) in try sealed.open(response: answer) }
        }
        try FuzzFinding.check(response == Self.message, .twoReadings(what: "a response"))
        let stray = Self.tried { () throws(ObliviousError) in try sealed.open(response: bytes) }
        try FuzzFinding.check(stray == nil, .mismatch(what: "a response that nobody sealed"))
        try readKeys(bytes)
    }

    private static let message = BinaryResponse(202).encoded()

    private func answer(_ request: OpenedRequest) -> [UInt8]? {
        Self.tried { () throws(ObliviousError) in try request.seal(response: Self.message) }
    }

    private func opened(_ bytes: [UInt8]) -> OpenedRequest? {
        Self.tried { () throws(ObliviousError) in try OpenedRequest(bytes[...], by: keys) }
    }

    private func readKeys(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard let list = Self.tried({ () throws(ObliviousError) in try KeyConfiguration.list(bytes) }) else { return }
        let written = KeyConfiguration.encoded(list)
        let again = Self.tried { () throws(ObliviousError) in try KeyConfiguration.list(written) }
        try FuzzFinding.check(again == list, .written(what: "keys"))
        // A key that is none is refused only here.
        for configuration in list.prefix(2) {
            _ = Self.tried { () throws(ObliviousError) in try SealedRequest([1, 2, 3], for: configuration) }
        }
    }

    /// Nil where it is refused: why is no matter here.
    private static func tried<Value>(_ work: () throws(ObliviousError) -> Value) -> Value? {
        do throws(ObliviousError) { return try work() } catch { return nil }
    }
}
