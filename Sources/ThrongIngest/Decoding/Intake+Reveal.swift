internal import CSimdJSON
internal import ThrongPlan
package import ThrongWire

extension Intake {
    /// The largest body of `POST /v1/reveals`. Unit: bytes.
    package static let revealBytes = 4096

    /// Reads the body of `POST /v1/reveals`; nil if the purpose honours one of the signals: see
    /// ``read(_:signals:bearer:now:use:isSealed:)``.
    package func readReveal(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, bearer: String? = nil, now: UnixSeconds,
        isSealed: Bool = false
    ) throws(IntakeError) -> IncomingReveal? {
        guard body.count <= Self.revealBytes else { throw .bodyTooLarge(limit: Self.revealBytes) }
        guard let parser = JSONParser(depth: 2) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: limits)
        let members = try NamedMembers<RevealMember>(document)
        let names = (app: try members.text(.app), purpose: try members.text(.purpose))
        let wanted = document.bytes(try members.text(.dimension))
        let value = try members.text(.value)
        let written = try members.optionalText(.output)
        let number = try members.window(.window)
        let (app, tables) = try purpose(names.purpose, of: names.app, in: document)
        try tables.checkWay(isSealed: isSealed)
        let shown = ShownKeys(key: try members.optionalText(.key), bearer: bearer, isCounted: true)
        _ = try keys?.admit(shown, to: tables.purpose, of: app)
        guard tables.purpose.refusedBy.isDisjoint(with: signals) else { return nil }
        let window = try tables.openWindow(number, app: app.name, now: now)
        guard let dimension = tables.revealed.first(where: { $0.name.text.utf8.elementsEqual(wanted) }) else {
            throw .wrongShape(pointer: "/dimension", expected: "a dimension of the purpose whose values are revealed")
        }
        var output: EvaluatedOutput?
        if dimension.evaluator != nil {
            output = written.flatMap { EvaluatedOutput(text: $0.utf8) }
            guard output != nil else {
                throw .wrongShape(
                    pointer: "/output", expected: "what the plan's evaluator makes of the value, 32 bytes in base64url")
            }
        }
        return IncomingReveal(
            window: window, dimension: dimension.name, most: dimension.most,
            value: String(decoding: document.bytes(value), as: UTF8.self), output: output)
    }
}

private enum RevealMember: String, CaseIterable { case app, purpose, window, dimension, value, output, key }

/// A client's claim of the value behind a hash: the body of `POST /v1/reveals`, checked against the plan.
package struct IncomingReveal: Sendable {
    package let window: WindowID
    /// The dimension; its buckets are learned.
    package let dimension: DimensionName
    /// The most buckets that the dimension can learn.
    package let most: Int
    /// The value as the client sent it. It is not stored before enough devices are known to have sent its hash.
    package let value: String
    /// The claimed output of the app's evaluator for the value, unchecked; nil if the app has no evaluator.
    package let output: EvaluatedOutput?
}
